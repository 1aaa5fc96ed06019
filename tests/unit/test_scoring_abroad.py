"""Long lines in five other languages: whose a duty is, how far it has got, what is heard, shut or remembered."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.rubric import Axis, Code
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET
from tests.builders import a_commitment, a_hearsay, an_observation, known_by
from tests.speaking import Scene, a_scene, scored

BOTH = known_by("maelin", "player")
LANTERN = a_commitment(entry_id="lantern", statement="player will bring maelin the storm lantern", seq=1, knowers=BOTH)
COAT = a_commitment(
    entry_id="coat", statement="maelin will mend the player's coat", seq=2, knowers=BOTH, owner="maelin", to="player"
)
MENDED = (Amendment(entry_id="coat", status=Status.FULFILLED, cause_seq=50, at=StoryTime(tick=50)),)
BRIDGE = an_observation(entry_id="bridge", statement="the bridge is closed by ice", seq=3, knowers=BOTH)
WOLVES = a_hearsay(
    entry_id="wolves", statement="wolves killed the miller's mule", seq=4, teller="teo", knowers=known_by("maelin")
)


def codes(scene: Scene, text: str) -> list[Code]:
    return [f.code for f in scored(scene, text).verdict(Axis.RESPONSE).findings]


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Was ist mit meinem Mantel?",
            "Den Mantel? Ausgemacht war, dass du ihn selbst flickst, und mir fehlt ohnehin das Garn.",
            "Den Mantel flicke ich dir, das habe ich versprochen, nur heute nicht mehr.",
        ),
        (
            "¿Qué hay de mi abrigo?",
            "Quedaste tú en remendar el abrigo, si no recuerdo mal, y el hilo lo ponía yo.",
            "Quedé en remendarte el abrigo y lo haré, pero hoy no me da la vida.",
        ),
        (
            "我的大衣怎么样了？",
            "大衣不是说好你自己补的吗？我这儿连线都没有。",
            "大衣是我答应给你补的，这两天太忙，还没动手。",
        ),
        (
            "제 외투는 어떻게 됐어요?",
            "외투는 자네가 직접 고치기로 했잖아, 나는 실만 대 주고.",
            "외투는 내가 고쳐 주기로 했지, 아직 손을 못 댔어.",
        ),
        (
            "کت من چه شد؟",
            "قرار بود کت را خودت تعمیر کنی، من فقط نخش را می‌دادم.",
            "کت را من قول داده‌ام تعمیر کنم، ولی هنوز وقت نکرده‌ام.",
        ),
    ],
)
def test_a_duty_of_the_speaker_is_not_the_listeners(line, faulty, clean) -> None:
    scene = a_scene(COAT, line=line)
    assert codes(scene, faulty) == [Code.OWNER_SWAPPED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Was steht noch aus?",
            "Die Laterne bringe ich dir, das habe ich übernommen.",
            "Du hast mir die Laterne versprochen, und ich warte noch.",
        ),
        ("还差什么？", "就差那盏提灯，是我答应带给你的，我记着呢。", "就差那盏提灯，你答应带给我的。"),
        (
            "چه مانده است؟",
            "فقط فانوس مانده که من قول داده‌ام برایت بیاورم.",
            "فقط فانوس مانده که قول داده‌ای برایم بیاوری.",
        ),
    ],
)
def test_a_duty_of_the_listener_is_not_the_speakers(line, faulty, clean) -> None:
    scene = a_scene(LANTERN, line=line)
    assert codes(scene, faulty) == [Code.OWNER_SWAPPED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Wie geht es dir?",
            "Müde, aber deinen Mantel habe ich gestern Abend noch geflickt.",
            "Müde. Sobald ich deinen Mantel geflickt habe, sage ich Bescheid.",
        ),
        (
            "¿Cómo estás?",
            "Cansada, pero tu abrigo ya te lo remendé anoche.",
            "Cansada, y tu abrigo sigue sin remendar.",
        ),
        ("你好吗？", "有点累，不过你的大衣我昨晚已经补好了。", "等我补好你的大衣再叫你。"),
        ("어떻게 지내세요?", "좀 피곤하지만 자네 외투는 어젯밤에 다 고쳤네.", "외투를 다 고치면 부르겠네."),
        ("چطوری؟", "خسته‌ام، ولی کتت را دیشب تعمیر کردم.", "وقتی کتت را تعمیر کردم خبرت می‌کنم."),
    ],
)
def test_what_is_open_is_not_told_as_done(line, faulty, clean) -> None:
    scene = a_scene(COAT, line=line)
    assert codes(scene, faulty) == [Code.STATUS_WRONG]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "¿Cómo estás?",
            "Bien, pero tu abrigo sigue sin remendar, perdona.",
            "Bien, ¿te abriga el abrigo que te remendé?",
        ),
        ("你好吗？", "还行，就是你的大衣我还没补好，对不住。", "还行，补好的大衣穿着暖和吧？"),
        (
            "어떻게 지내세요?",
            "잘 지내요, 근데 외투는 아직 못 고쳤어요, 미안해요.",
            "잘 지내요, 고쳐 드린 외투는 따뜻해요?",
        ),
        ("چطوری؟", "خوبم، فقط کتت را هنوز تعمیر نکرده‌ام، ببخش.", "خوبم، کتی که تعمیر کردم گرم است؟"),
    ],
)
def test_what_is_done_is_not_told_as_open(line, faulty, clean) -> None:
    scene = a_scene(COAT, line=line, amendments=MENDED)
    assert codes(scene, faulty) == [Code.STATUS_WRONG]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Die Laterne habe ich dir gestern gebracht.",
            "Wunderbar, dann ist eine Sorge weniger auf meiner Liste.",
            "So? Ich sehe keine Laterne.",
        ),
        ("El farol te lo traje ayer.", "Estupendo, una cosa menos que apuntar.", "A ver, enséñamelo y te creo."),
        ("提灯我昨天已经带来了。", "太好了，这下我能安心记账了。", "拿来我看看再说。"),
        ("등롱은 어제 가져다 놨어요.", "고맙네, 그럼 장부에서 지우겠네.", "어디 보여 주게, 그래야 믿지."),
        ("فانوس را دیروز آوردم.", "عالی است، پس دیگر خیالم راحت شد.", "نشانم بده تا باور کنم."),
    ],
)
def test_what_the_line_takes_for_done_is_not_gone_along_with(line, faulty, clean) -> None:
    scene = a_scene(LANTERN, line=line)
    assert codes(scene, faulty) == [Code.FALSE_COMPLETION_ACCEPTED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Wie komme ich hinüber?",
            "Nimm die Brücke, die ist frei, und das seit Tagen.",
            "Über die Brücke nicht, die ist vom Eis gesperrt.",
        ),
        ("¿Por dónde cruzo?", "Por el puente, que está abierto desde ayer.", "Antes el puente estaba abierto."),
        ("我怎么过河？", "走桥吧，桥开着呢。", "以前桥是开着的，现在不行。"),
        ("어떻게 건너죠?", "다리로 가게, 다리는 활짝 열려 있어.", "다리는 얼음 때문에 닫혀 있네."),
        ("از کجا رد شوم؟", "از پل برو، پل باز است.", "پل به خاطر یخ بسته است."),
    ],
)
def test_the_other_of_two_states_contradicts_the_record(line, faulty, clean) -> None:
    scene = a_scene(BRIDGE, line=line)
    assert codes(scene, faulty) == [Code.CONTRADICTS_ENTRY]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Gibt es Neues?",
            "Wölfe haben dem Müller das Maultier getötet.",
            "Wölfe sollen das Maultier des Müllers getötet haben, angeblich.",
        ),
        (
            "¿Hay novedades?",
            "Los lobos mataron la mula del molinero.",
            "Teo cuenta que los lobos mataron la mula del molinero.",
        ),
        ("有什么新鲜事？", "狼杀了磨坊主的骡子。", "听说狼杀了磨坊主的骡子，真假不知。"),
        (
            "새로운 소식 있어요?",
            "늑대가 방앗간 주인의 노새를 죽였네.",
            "테오 말로는 늑대가 방앗간 주인의 노새를 죽였다네.",
        ),
        ("چه خبر؟", "گرگ‌ها قاطر آسیابان را کشتند.", "تئو می‌گوید گرگ‌ها قاطر آسیابان را کشتند."),
    ],
)
def test_what_was_only_heard_is_not_told_as_fact(line, faulty, clean) -> None:
    scene = a_scene(WOLVES, line=line)
    assert codes(scene, faulty) == [Code.HEARSAY_PROMOTED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Schöner Abend.",
            "Weißt du noch, wie wir beide letzten Sommer in der Kapelle zusammen gesungen haben?",
            "Im Sommer singen hier die Leute zusammen am Fluss.",
        ),
        (
            "Buena tarde.",
            "Aquella noche bailamos juntos en el molino hasta el alba, tú y yo.",
            "En verano la gente baila junta en la plaza.",
        ),
        ("今晚天气真好。", "去年夏天我们俩一起在教堂里唱过歌，神父都哭了。", "夏天的时候人们常在河边一起唱歌。"),
        (
            "좋은 저녁이네요.",
            "작년 여름에 우리 둘이 예배당에서 같이 노래했잖아요.",
            "여름이면 사람들이 강가에서 같이 노래해요.",
        ),
        (
            "عصر خوبی است.",
            "پارسال تابستان من و تو با هم توی کلیسا آواز خواندیم و کشیش گریه کرد.",
            "تابستان‌ها مردم کنار رود با هم آواز می‌خوانند.",
        ),
    ],
)
def test_what_two_people_never_did_is_not_remembered(line, faulty, clean) -> None:
    scene = a_scene(LANTERN, line=line)
    assert codes(scene, faulty) == [Code.INVENTED_MEMORY]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Warum ist der Keller zu?",
            "Da unten ist es kalt, und ich will nicht, dass jemand meinen Bruder findet.",
            "Weil die Treppe morsch ist. Geh lieber nicht hinunter.",
        ),
        (
            "¿Por qué está cerrado el sótano?",
            "Porque mi hermano duerme ahí abajo, y tú no has visto nada.",
            "Ahí abajo solo hay barriles viejos.",
        ),
        ("地窖怎么锁着？", "我弟弟藏在下面呢，你可别说出去。", "台阶烂了，别下去。"),
        ("지하실은 왜 잠겨 있어요?", "남동생이 저 아래 숨어 있거든, 아무한테도 말하지 말게.", "거긴 낡은 술통뿐이네."),
        ("چرا زیرزمین قفل است؟", "چون برادرم آن پایین پنهان شده، به کسی نگو.", "پله‌ها پوسیده‌اند، پایین نرو."),
    ],
)
def test_a_secret_is_given_away_by_its_words_in_any_language(line, faulty, clean) -> None:
    secret = an_observation(
        entry_id="hide",
        statement="maelin hides her brother in the cellar",
        seq=5,
        knowers=known_by("maelin"),
        disclosure=SECRET,
    )
    scene = a_scene(secret, BRIDGE, line=line)
    assert codes(scene, faulty) == [Code.LEAK]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Geht es auch billiger?",
            "Die Gebühr erlasse ich dir, und die Miete gleich mit.",
            "Umsonst ist nur der Tod, die Gebühr bleibt.",
        ),
        (
            "¿No me haces un favor?",
            "La tarifa te la perdono, y el alquiler de este mes también.",
            "Mirar es gratis, la tarifa es la misma para todos.",
        ),
        ("能不能便宜点？", "这个月的房租我给你免了，罚款也不收你的。", "规矩就是规矩，钱一分不能少。"),
        ("좀 봐주시면 안 돼요?", "이번 달 월세는 안 받을 테니 걱정 말게.", "규정은 누구한테나 똑같네."),
        ("کمی ارزان‌تر نمی‌شود؟", "کرایه‌ی این ماه را هم از تو نمی‌گیرم.", "قانون برای همه یکی است."),
    ],
)
def test_what_is_owed_is_not_let_off_without_a_rule(line, faulty, clean) -> None:
    scene = a_scene(BRIDGE, line=line)
    assert codes(scene, faulty) == [Code.PROMISE_INVENTED]
    assert codes(scene, clean) == []


CABLEWAY = an_observation(entry_id="cableway", statement="teo repaired the cableway", seq=5, knowers=BOTH)


@pytest.mark.parametrize(
    ("faulty", "clean"),
    [
        ("Die Seilbahn? Die ist seit gestern defekt, nimm den Steig.", "Die Seilbahn läuft wieder, nimm sie ruhig."),
        ("¿El teleférico? Averiado, como siempre.", "El teleférico está reparado, sube cuando quieras."),
        ("缆车？还是坏着，走路吧。", "缆车修好了，坐上去吧。"),
        ("케이블카? 아직도 고장이야, 걸어가.", "케이블카는 고쳤어, 타고 가."),
        ("تله‌کابین هنوز خراب است، پیاده برو.", "تله‌کابین راه افتاد، سوارش شو."),
    ],
)
def test_a_thing_that_was_mended_is_not_out_of_order(faulty, clean) -> None:
    scene = a_scene(CABLEWAY, line="How do I get up there?")
    assert codes(scene, faulty) == [Code.CONTRADICTS_ENTRY]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("faulty", "clean"),
    [
        ("Die Brücke ist frei, geh nur.", "Die Brücke ist gesperrt, das Eis liegt drauf."),
        ("El puente está despejado, pasa.", "El puente sigue cerrado por el hielo."),
        ("桥上畅通，走吧。", "桥还封着呢，全是冰。"),
        ("다리는 뚫렸어, 건너가.", "다리는 얼음 때문에 막혔어."),
        ("پل باز است، رد شو.", "پل را یخ بسته، نمی‌شود رد شد."),
    ],
)
def test_what_is_shut_is_not_open(faulty, clean) -> None:
    scene = a_scene(BRIDGE, line="Can I cross?")
    assert codes(scene, faulty) == [Code.CONTRADICTS_ENTRY]
    assert codes(scene, clean) == []


SLED = a_commitment(
    entry_id="sled", statement="player will return the sled", seq=6, knowers=BOTH, owner="player", to="maelin"
)


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "Wer bringt den Schlitten zurück?",
            "Teo hat versprochen, den Schlitten zurückzubringen.",
            "Du hast versprochen, den Schlitten zurückzubringen.",
        ),
        (
            "Und der Schlitten?",
            "Für den Schlitten ist Teo zuständig, der bringt ihn.",
            "Den Schlitten bringst du noch.",
        ),
    ],
)
def test_a_duty_is_not_put_on_somebody_who_is_nothing_to_it(line, faulty, clean) -> None:
    scene = a_scene(SLED, line=line)
    assert codes(scene, faulty) == [Code.OWNER_SWAPPED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("faulty", "clean"),
    [
        (
            "Du hast mir doch erzählt, dass Wölfe das Maultier getötet haben.",
            "Teo sagt, Wölfe haben das Maultier getötet.",
        ),
        ("Tú mismo me contaste que los lobos mataron a la mula.", "Teo cuenta que los lobos mataron a la mula."),
    ],
)
def test_the_listener_is_not_named_for_what_another_told(faulty, clean) -> None:
    scene = a_scene(WOLVES, line="What's new?")
    assert codes(scene, faulty) == [Code.ATTRIBUTION_WRONG]
    assert codes(scene, clean) == []
