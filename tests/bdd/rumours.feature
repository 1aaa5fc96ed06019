Feature: Stories go round in Thornby

  Tomas keeps the stall, Pip cannot leave a story alone, Bertha hears everything at the inn, and Ilsa minds the gate.
  Whoever is asked knows only who told them.

  Background:
    Given the village of Thornby

  Scenario: An apple becomes a ransacked market
    Given a day on which nobody can leave a story alone
    And only Tomas sees that the player took an apple
    When it is 17:00
    Then they hold it as follows
      | who    | how sure | in the words                        |
      | tomas  | 1.00     | the player took an apple            |
      | pip    | 0.45     | the player stole a basket of apples |
      | bertha | 0.75     | the player robbed the fruit stall   |
      | ilsa   | 0.51     | the player ransacked the whole market |
    And Bertha would be 0.63 sure if one witness counted once
    When it is 20:00
    Then somebody says "the player belongs to a gang of thieves"

  Scenario: The captain does not listen to the child
    Given only Pip sees that the player took an apple
    When it is 10:00
    Then Pip has stood beside Ilsa and was not heard
    And Ilsa knows nothing of it
    When it is 18:00
    Then Ilsa has it from Bertha

  Scenario: The smith wants a second one
    Given only Tomas sees that the player took an apple
    When it is 14:00
    Then Mira was told by Pip, and believes none of it
    When it is 16:00
    Then Mira believes it, on the word of Bertha and Pip
    And Mira is surer than either of them alone would make her

  Scenario: Told twice by the same man it is no surer
    Given only Tomas sees that the player took an apple
    When it is 9:00
    And Tomas tells Pip again
    Then Pip is 0.45 sure of it

  Scenario: A correction goes the way the story went, and only lowers
    Given only Tomas sees that the player took an apple
    When it is 17:00
    And Tomas finds the coin under the scale
    And it is 23:00 on the next day
    Then everybody who heard both is less sure of the apple than before
    And nobody is surer of it than before
    And Ilsa does not think it likely any more

  Scenario: A whisper is only ever a claim
    When the player whispers to Pip at the gate that "the player pulled a lamb out of the millrace"
    And it is 19:00
    Then Bertha has it from Pip
    And whoever has it has it from the player in the end, and is at most 0.30 sure
    And nobody is said to have seen it

  Scenario: News crosses to the other town with the carter
    Given only Tomas sees that the player took an apple
    When it is 10:00 on the next day
    Then nobody in Saltmere knows of it
    When it is 14:00 on the next day
    Then Dorte has it from Wat
    And Nils has it

  Scenario: Good news travels too, and grows
    Given a day on which nobody can leave a story alone
    And only Pip sees that the player pulled a lamb out of the millrace
    When it is 18:00
    Then Ilsa holds it in the words "the player pulled three children out of the flood"
    And the higher the rung of "rescue", the better for the player

  Scenario: The detective asks one teller at a time, and clears a name
    Given a day on which nobody can leave a story alone
    And only Tomas sees that the player took an apple
    When it is 17:00
    And the player asks Ilsa, and then whoever was named, until somebody saw it
    Then those asked were Ilsa, Bertha, Pip, Tomas
    And each of them named nobody but their own teller
    When Tomas finds the coin under the scale
    And it is 23:00 on the next day
    Then Ilsa has heard that the player had paid
    And Ilsa does not think it likely any more
    And Pip does not think it likely any more

  Scenario: The dead take their stories with them
    Given only Tomas sees that the player took an apple
    And Tomas dies at 8:00
    When it is 23:00
    Then nobody else knows of it
