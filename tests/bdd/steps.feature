Feature: The six steps between the ledger and the line

  Scenario: Expire - a feeling is over after two scenes, and not one scene before
    Given Maelin feels embarrassed: "maelin is embarrassed" for 2 scenes from scene 3
    Then at scene 4 it is felt
    And at scene 5 it is over

  Scenario: Settle - a promise is kept by the game's own state
    Given the player promised Maelin "the player will mend the mast" kept when "state.power == true"
    When the game sets the power on
    Then the promise is fulfilled

  Scenario: Contradict - what was seen updates what may change
    Given Maelin saw "the lamp is lit" of the lamp that "is" "lit"
    And later Maelin saw "the lamp is out" of the lamp that "is" "out"
    Then the earlier one is superseded, and nothing contradicts

  Scenario: Contradict - what cannot change and differs is a contradiction, and the newer does not win
    Given Maelin saw "tovi was killed by brun" of tovi that "killed_by" "brun"
    And later Maelin saw "tovi was killed by rex" of tovi that "killed_by" "rex"
    Then the two contradict, and neither is superseded

  Scenario: Disclose - what she does not know is not hers to say
    Given only Orla knows "the vault is empty"
    When the player says "Is the vault empty?" to Maelin
    Then she may not say "the vault is empty" because it is "not_visible"

  Scenario: Rank - what the line is about comes first
    Given Maelin saw "the kettle is on the stove"
    And Maelin saw "the anchor is under the bridge"
    When the player says "Where is the anchor?" to Maelin
    Then "the anchor is under the bridge" ranks first

  Scenario: Attach - what follows is decided by rule
    Given Maelin grants the key when her standing to the player in "reliability" is at least 1
    When the player says "May I have the key?" to Maelin
    Then the key is refused, and the packet says what would change it
