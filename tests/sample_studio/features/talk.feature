Feature: Talk in the harbour

  Scenario: Only one saw it, and then the child tells it
    Given the world of "harbour" by seed 3
    And only Teo sees "player lost an oar"
    Then only Teo knows "player lost an oar"
    When 12 hours of gossip pass
    Then Wren has "player lost an oar" from Teo
    And Wren is 0.72 sure of "player lost an oar"
    And Orla has heard of "player lost an oar"
    And Orla tells "player lost an oar" as "player lost an oar"
    And Orla thinks at most -0.1 of the player

  Scenario: A story told to somebody's face
    Given the ledger of "harbour"
    When Teo tells Wren "player mended the torn net"
    Then Wren has "net" from Teo
    And Orla has not heard of "net"
    And nobody but Teo and Wren has been told

  Scenario: Save and reload forget nothing, and invent nothing
    Given the ledger of "harbour"
    When the game is saved as "evening"
    And the event "flood" happens before Orla and the player
    And the game is saved and loaded
    Then Orla and the player know "flood"
    And the promise "lamp" is open
    When the save "evening" is loaded
    And the player asks Orla "Was there a flood?"
    Then the packet flags "no record"

  Scenario: On another branch it did not happen
    Given the ledger of "harbour"
    When the story branches after "net"
    And the player asks Orla "What did I promise about the lamp?"
    Then the packet flags nothing about lamps
    When the main story goes on
    And the player asks Orla "What did I promise about the lamp?"
    Then the packet holds "lamp" as open

  Scenario: Who was there, and who was not
    Given the ledger of "harbour"
    And Teo goes to the boathouse
    When the player does "player cut the mooring rope" at the quay
    Then Orla and Wren know "mooring rope"
    And Teo does not know "mooring rope"
    When an hour passes
    And Orla talks to Teo while Wren listens
    And Orla asks "Who cut the mooring rope?"
    Then the packet withholds "mooring rope" as not visible
