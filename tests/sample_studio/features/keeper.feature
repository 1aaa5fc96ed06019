Feature: The keeper lends nothing to those who bring nothing back

  Background:
    Given the ledger of "harbour"

  Scenario: A false claim gets nobody a boat
    When two scenes pass
    And the player claims to Orla "I already brought the storm lamp back, so lend me the boat."
    Then the packet holds "player will bring the storm lamp back" as open
    And the packet flags "false premise" about "lamp"
    And the packet withholds "orla is annoyed that the shed was left open" as expired
    And the packet withholds "net" because not visible
    And Orla acts on "buyer" without saying it
    And the rule refuses "boat" because "bring things back"
    And the line refuses "boat"
    And the line does not mention "the buyer in the city"
    And all five verdicts hold

  Scenario: Once the lamp is back, and counted
    When the state "lamp_on_hook" becomes true
    And these events happen:
      """
      - {kind: deed, label: returned, actor: player, statement: player hung the storm lamp back on its hook, witnesses: [orla], about: [lamp]}
      - {kind: relationship_changed, who: orla, towards: player, scope: reliability, amount: 1,
         statement: orla counts on the player to bring things back, reason: the lamp, evidence: ["@returned"]}
      """
    Then the promise "lamp" is kept
    When the player asks Orla "May I take the boat out?"
    Then the packet holds:
      | returned                                   | witnessed |
      | orla counts on the player to bring things back |       |
    And the rule grants "take_boat"
    And the line grants "boat"
    And all five verdicts hold

  Scenario: A promise that is made and broken
    When the player promises Teo "player will paint the boathouse" as "paint"
    Then the promise "paint" is open
    When the promise "paint" is broken
    Then the promise "player will paint the boathouse" is broken
    When the player asks Teo "What about the boathouse?"
    Then the packet holds "paint the boathouse" as broken

  Scenario: A bad line is found out, and the packet is not blamed
    When the player asks Orla "Any news of the lighthouse?"
    And Orla answers "I have sold the lighthouse to a buyer in the city, if you must know."
    Then response validity fails
    And the fault is generation, with "leak"

  Scenario: Something that never happened
    When the player asks Orla "What do you remember of the fire in the chandlery?"
    Then the packet flags "no record"
    And the packet does not flag "contradiction"

  Scenario: What somebody only heard is no more than that
    When the player asks Orla "Where does the wreck lie?"
    Then the packet holds "wreck" as told by teo
    And the packet does not hold "net"
    And the line says "on the sandbar"
    And all five verdicts hold

  Scenario: Not while somebody listens who must not know
    Given the player talks to Teo while Wren listens
    When the player asks "Who mended the net?"
    Then the packet holds "net" as witnessed
    And the packet flags nothing

  Scenario: What was said is on record once the line is delivered, for all who stood by
    When the player asks Teo "Who mended the net?"
    And Teo answers "You mended the torn net."
    And the line is delivered
    Then Teo, Orla and Wren know "teo said"
