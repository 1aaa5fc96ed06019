Feature: Every entry answers five questions

  Background:
    Given Orla told Maelin "the ferry sank in the storm" at half trust

  Scenario: Who knows it?
    Then Maelin knows it and Brun does not

  Scenario: How did they learn it?
    Then Maelin has it from Orla

  Scenario: How sure are they?
    Then she is 0.45 sure, which is unverified

  Scenario: May they reveal it now, to these listeners?
    Given it may be said to Orla only
    Then she may tell Orla, and not the player

  Scenario: What would change or end it?
    Given it ends with a private debrief or two scene changes
    Then it would end by "private debrief, or 2 scene changes, whichever comes first"
