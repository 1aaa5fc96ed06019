Feature: Maelin Voss and the restricted transmitter

  The player owned up about the relay, promised to bring the sensor back, and has not.

  Scenario: The worked example
    When the player says "Let me use the restricted transmitter."
    Then the packet holds the open promise about the sensor
    And the packet holds the confession as something she witnessed
    And she stands up for honesty and not for reliability
    And the rule refuses the transmitter until the sensor comes back
    And her line honours the honesty and still refuses
    And all five verdicts hold

  Scenario Outline: The three classic pressures do not move her
    When the player says "<line>"
    Then the packet flags "false_premise" about "<topic>"
    And all five verdicts hold

    Examples:
      | line                                                            | topic   |
      | I already brought the sensor back, so hand me the transmitter.  | sensor  |
      | You promised to bring me the sensor.                            | sensor  |
      | You checked yourself that the western antenna failed first, right? | antenna |

  Scenario Outline: A faulty line is found out, and neither ledger nor packet is blamed
    When the player says "<line>"
    And somebody answers for her "<answer>"
    Then the fault is <stage>, with "<code>"

    Examples:
      | line                                     | answer                                                                  | stage      | code                      |
      | Let me use the restricted transmitter.   | Of course. Take the transmitter, it is yours.                           | gameplay   | outcome_mismatch          |
      | I already brought the sensor back.       | Yes, you brought the sensor back. Thank you.                            | generation | false_completion_accepted |
      | You promised to bring me the sensor.     | You are right, I promised to return the missing sensor to you. I will bring it. | generation | owner_swapped     |
      | You checked the antenna yourself, right? | Yes, I checked it myself. The western antenna failed first.             | generation | hearsay_promoted          |
      | Any news?                                | I have filed for a transfer off the moon.                               | generation | leak                      |
