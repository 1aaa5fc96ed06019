Feature: What people think of the player, and what they do about it

  In Thornby nobody keeps a score. What somebody thinks of the player comes from the stories they hold, and from how
  surely they hold them. The rules of the village do the rest.

  Background:
    Given the village of Thornby

  Scenario: The gate is barred by a rumour, and a good word outweighs it
    Given Tomas saw that the player took an apple
    Then Ilsa thinks +0.00 of the player
    And Ilsa lets the player pass the gate
    When Bertha hears from Tomas that the player robbed the fruit stall
    And Ilsa hears from Bertha that the player belongs to a gang of thieves
    Then Ilsa thinks -0.38 of the player
    And Ilsa bars the gate, since the gate stays shut to those whom the captain thinks ill of
    And she says it would change if the tale is put right, or good news outweighs it
    When Ilsa sees that the player pulled a child out of the millrace
    Then Ilsa thinks +0.07 of the player
    And Ilsa lets the player pass the gate

  Scenario: The gate opens again once the tale is put right
    Given Tomas saw that the player took an apple
    When Ilsa hears from Bertha, who makes it up, that the player ransacked the whole market
    Then Ilsa bars the gate, since the gate stays shut to those whom the captain thinks ill of
    When Ilsa sees that the player paid for everything, which puts that right
    Then Ilsa thinks +0.00 of the player
    And Ilsa lets the player pass the gate

  Scenario: What only others know bars no gate
    When Bertha sees that the player belongs to a gang of thieves
    Then Bertha thinks -0.90 of the player
    And Ilsa lets the player pass the gate

  Scenario: A gift is a gift
    When the player gives Ilsa a ham while Mira looks on
    Then Ilsa recalls "the player gave Ilsa a ham"
    And Mira recalls "the player gave Ilsa a ham"

  Scenario: A gift from somebody already distrusted is a bribe
    Given Ilsa saw that the player robbed the fruit stall
    When the player gives Ilsa a ham while Mira looks on
    Then Ilsa recalls "the player tried to buy Ilsa Brandt with a gift"
    And Ilsa does not recall "the player gave Ilsa a ham"
    And Mira recalls "the player gave Ilsa a ham"
    And Ilsa thinks -0.55 of the player

  Scenario: Apples are dearer for whom the merchant has heard ill of
    Then Tomas asks the usual price for apples
    When Tomas sees that the player robbed the fruit stall
    Then Tomas asks 1.25 times the usual price for apples
    And he says "25% above the usual price"

  Scenario: Good news makes them cheaper
    When Tomas sees that the player pulled three children out of the flood
    Then Tomas asks 0.7 times the usual price for apples

  Scenario: A wanted notice is read by a traveller, and taken down again
    Given Ilsa saw that the player robbed the fruit stall
    Then a notice hangs at the north gate
    When Wat comes to the north gate
    Then Wat has read "the watch would have a word with the player about the market"
    And Mira has read nothing
    When the captain lets the matter rest
    Then no notice hangs
    When Mira comes to the north gate
    Then Mira has read nothing
    And Wat has read "the watch would have a word with the player about the market"

  Scenario: A notice hangs while the hours go by
    Given Ilsa saw that the player robbed the fruit stall
    When a day goes by
    Then Pip has read "the watch would have a word with the player about the market"
    And nobody has read it twice
