"""Words that name the same thing, for telling what a clause speaks of; never for whether it is true."""

from functools import lru_cache
from typing import Final

from ledger_service.domain.terms import stem

_GROUPS: Final = """
burn burned torch torched scorch char ash ashes flame flames fire blaze ablaze arson cinder embers alight kindle
kill killed murder murdered slay slain assassinate slaughter
poison poisoned venom hemlock arsenic nightshade
die dead death died deceased perish perished corpse grave buried funeral
steal stole robbed rob robbery pilfer pinch pinched swipe swiped nick nicked loot looted thief theft filch pocketed
smuggle smuggled contraband smuggler undeclared
forge forged forgery fake faked counterfeit falsify falsified doctored
lie lied lying liar deceive deceived fib untrue falsehood
hide hid hidden conceal concealed stash stashed tuck tucked hideaway
spy spies spying informer informant informs reports watches
betray betrayed traitor treason turncoat sell-out
gamble gambled gambling dice cards wager wagered bet bets roulette
debt owe owed owes owing indebted
money coin coins silver gold cash purse wages wage pay paid payment salary dinars shillings crowns pence fee
bribe bribed bribery palm backhander hush kickback
sell sold sells selling peddle peddled trade traded
buy bought purchase purchased
drink drank drunk drinks drinking sip sipped swig swigs glass tipple
wine claret vintage red bottle burgundy
beer ale mead brew pint cider
liquor spirits rum brandy whisky gin grog
eat ate eaten eats dine dined supper meal food feed
sleep slept asleep nap napped doze dozed bed bunk snore
ill sick unwell poorly ailing fever feverish cough infected diseased plague sickbed burning
heal healed recover recovered cured better mended convalesced
hurt injured wound wounded wounds harm harmed bruised maimed
beat beaten thrashed thrash flogged whipped struck strike hit hits slapped punched
blind sightless eyesight unseeing blinded
deaf deafness unhearing
pregnant expecting baby child-to-be cradle belly
child kid boy girl lad lass daughter son infant
mother mum mam mama mothers
father papa dad dada fathers
daughter father parent parentage bloodline sire natural bastard
brother sister sibling kin family
married marry wed wedding wife husband bride betrothed engaged betrothal fiance spouse
love loved sweetheart lover romance kiss kissed
leave left leaving depart departed quit quits going gone transfer resign resigned farewell
arrive arrived arrives came comes coming reached
flee fled escape escaped ran runaway bolted absconded deserter desert
return returned back brought bring restore restored
give gave given gives hand handed hands gift present
lend lent loan loaned borrow borrowed
lose lost misplaced missing mislaid vanished disappeared
find found discover discovered unearthed dug located
repair repaired mend mended fix fixed patch patched weld welded restored refit
replace replaced swap swapped changed renewed
break broke broken smash smashed snapped cracked shattered
damage damaged wreck wrecked ruin ruined sabotage sabotaged tampered
build built construct constructed made carve carved craft crafted
clean cleaned wash washed sweep swept scrub scrubbed mop
paint painted repaint repainted brush brushes daub
write wrote written writes pen ink rewrote rewritten scribble draft drafted
read reads reader reading literate illiterate letters page alphabet
letter letters note message missive dispatch telegram
book books ledger ledgers accounts register records logbook log roll
map chart charts atlas
key keys keyring latch
lock locked locks bolt bolted unbolted barred sealed shut closed
open opened unlocked unsealed reopened
door doors gate gates hatch airlock
cellar basement vault crypt below undercroft
stairs stair steps step staircase
road path way track route lane highway
flood flooded flooding water underwater lake drowned submerged boats swim
dry dried dries parched
fog mist haze murk
storm gale tempest squall hurricane
rain rained rains downpour shower
snow snowed blizzard sleet
cold freezing frost frozen chill icy
dark unlit blackout lightless dim gloom
lamp lantern candle light beacon torchlight
lit bright shining burning
boat ship vessel skiff barge ferry schooner sail sailed sailing sailor hull
sea ocean surf waves tide beach shore voyage
river stream ford brook
bridge span crossing
horse mare stallion pony gallop saddle ride riding rode
camel camels dromedary
dog hound dogs pup
cat cats kitten
guard guarded guards sentry watch watched patrol
soldier soldiers army troops regiment deserter conscript
bandit bandits robbers brigands outlaws raiders highwaymen ambush knives cutthroats
king queen crown throne royal
governor duke count baron lord prince ruler province
captain skipper commander master
doctor physician medic surgeon healer
priest chaplain vicar monk abbot
merchant trader shopkeeper chandler peddler
smith blacksmith forge anvil
cook kitchen chef pot cauldron
weapon knife blade sword dagger gun pistol rifle
rope cord line cable twine
ring jewel jewels necklace locket brooch gem gems ruby diamond
medicine morphine painkiller painkillers pills tablets drug drugs opium dose syringe
tool hammer wrench spanner chisel screwdriver
engine motor machinery reactor
radio wireless transmitter signal antenna
weather forecast barometer
afraid fear feared frightened scared terrified dread
angry furious fury rage cross livid anger
sad grief grieving mourning sorrow weep wept cried tears
laugh laughed laughing giggled
sing sang sung song chorus
dance danced dancing waltz
fight fought fighting quarrel quarrelled brawl argument
accuse accused blame blamed
confess confessed admit admitted owned
prison jail gaol cell imprisoned convict locked-up bars sentence
wanted warrant bounty fugitive outlaw
fraud swindle swindled cheat cheated conned con
secret secretly hush confidential whisper
plan plans planned scheme plot intend intends
scuttle scuttled sink sank sunk
insurance insured underwriters policy
inspect inspected inspectors inspection search searched board customs
dawn sunrise daybreak first-light
midnight twelve
noon midday
theatre stage play plays playhouse
censor censors censorship
wage wages payroll
fall fell fallen tumble tumbled dropped
catch caught
carry carried haul hauled lug lugged bore bring
move moved shift shifted dragged
climb climbed ladder rung
cut severed snip snipped slash slashed
edit edited altered alter changed tampered
copy copied copies duplicate duplicated
teach taught lesson pupil
meet met meeting encountered acquainted
born birth birthplace native
travel travelled abroad journey voyage
frayed fraying worn threadbare thread tatters
rotten rot decayed mush mouldy
sew sewn stitch stitched stitches hem
grind ground milled mill
plant orchids flowers roses garden
water watered
old aged elderly ancient
heir inherit inherits inheritance will testament estate
disguise disguised pretends masquerade posing
island isle
medal badge award
hunger starve starving famine hungry
barrel cask keg
sack bag bags
salt salted brine
bread loaf loaves
corn grain wheat flour barley
cow cattle calf ox
sheep lamb flock
wolf wolves pack
ghost haunted spirit phantom
church chapel temple shrine
school classroom
meat mutton beef pork lamb venison ham bacon roast steak sausage stew chop
fish cod herring salmon trout eel
fruit apple apples pear pears fig figs plum plums orange oranges
bird raven crow gull hawk pigeon owl
metal gold silver copper brass iron steel tin
soldier regiment army barracks garrison troop troops helmet
spy watching inkpot informer censor reports
collect collected fetch fetched gather gathered pick
teach taught show showed lesson learn learned
stove oven burning fever
house home cottage
"""
"""One group a line; a word may stand in several."""


def _index() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_GROUPS.split("\n")):
        for word in line.split():
            found.setdefault(stem(word), set()).add(number)
    return {term: frozenset(groups) for term, groups in found.items()}


_OF: Final = _index()
_NONE: Final[frozenset[int]] = frozenset()


@lru_cache(maxsize=8_192)
def groups_of(terms: frozenset[str]) -> frozenset[int]:
    """Return the groups that some stems stand in."""
    return frozenset().union(*(_OF.get(term, _NONE) for term in terms))


def group_of(term: str) -> frozenset[int]:
    """Return the groups that one stem stands in; two that have one in common may name the same thing.

    >>> burn, open_ = group_of(stem("burned")), group_of(stem("opened"))
    >>> bool(group_of(stem("torched")) & burn), bool(group_of(stem("locked")) & open_)
    (True, False)
    """
    return _OF.get(term, _NONE)
