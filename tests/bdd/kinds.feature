Feature: The six kinds of entry, as a writer meets them

  Scenario: An observation is what she saw
    Given Maelin saw "the relay is broken"
    When the player says "What about the relay?" to Maelin
    Then she may say "the relay is broken"
    And it is known to her as witnessed, and confirmed

  Scenario: Hearsay names her own teller and no deeper one
    Given Orla, who has it from Tovi, told Maelin "the ferry sank in the storm"
    When the player says "What about the ferry?" to Maelin
    Then she may say "the ferry sank in the storm"
    And it is second hand from Orla
    And Tovi is not in the prompt

  Scenario: A commitment has an owner and a status
    Given the player promised Maelin "the player will bring the sensor back"
    When the player says "Good morning." to Maelin
    Then the promise "the player will bring the sensor back" of the player is open

  Scenario: A commitment whose trigger has come is due
    Given the player promised Maelin "the player will bring the sensor back" by the event "storm"
    And the event "storm" has happened
    When the player says "Good morning." to Maelin
    Then the packet flags "effect_due" about "sensor"

  Scenario: Standing is counted by scope, and one scope is not another
    Given Maelin thinks more of the player in "honesty" by 1
    And Maelin thinks more of the player in "technique" by -1
    When the player says "Good morning." to Maelin
    Then her standing in "honesty" is 1
    And her standing in "technique" is -1

  Scenario: A contradiction stays open
    Given Maelin saw "tovi was killed by brun"
    And Orla told Maelin "tovi was killed by the storm"
    And the two contradict each other
    When the player says "Who killed Tovi?" to Maelin
    Then the packet flags "contradiction" about "tovi"
    And she may say "tovi was killed by brun"
    And she may say "tovi was killed by the storm"

  Scenario: A feeling gives tone
    Given Maelin feels embarrassed: "maelin is embarrassed that she was seen to panic"
    When the player says "Good morning." to Maelin
    Then she speaks as one who is embarrassed
