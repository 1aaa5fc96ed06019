"""What HTTP is sent and cannot take: every route names it, with a problem and never with a 500."""

import re

import httpx
import msgspec
import pytest

from ledger_service.domain.texts import LARGEST_NUMBER
from ledger_service.services.gossip.advance_gossip import MOST_APART
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.web.api.playthroughs import PATIENCE
from ledger_service.web.app import create_app
from ledger_service.web.description import PROBLEMS
from ledger_service.web.requests import hold
from tests.e2e.conftest import shipped

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


@pytest.fixture
async def played(application):
    """A playthrough in which nothing happened yet; what cannot be read needs no more."""
    await add_world(shipped("maelin").world, open_uow=application.open_uow)
    return await open_playthrough("maelin", open_uow=application.open_uow)


DEEP = b"[" * 1_000 + b"]" * 1_000
BODIES = ("/worlds", "/playthroughs", "/playthroughs/import", "/playthroughs/{p}/events", "/playthroughs/{p}/packets",
          "/playthroughs/{p}/fork", "/playthroughs/{p}/saves", "/playthroughs/{p}/hours",
          "/playthroughs/{p}/packets/k/replies")  # fmt: skip


def of(played, path):
    return path.replace("{p}", played.playthrough_id)


async def refused(http, method, path, status=400, **sent):
    answer = await http.request(method, path, **sent)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json()


async def test_no_body_is_a_500(http, played):
    for path in BODIES:
        for body in (DEEP, DEEP[:1_000], b"", b"{", b"\xff", b'"\x00"', b"1e999", b'["\\ud800"]'):
            problem = await refused(http, "POST", of(played, path), content=body)
            assert problem["title"] == "Malformed", (path, body)
            assert "[...]" not in problem["detail"], (path, body)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "body: it is empty"),
        (b"{", "ends before it is complete"),
        (b'["\\ud800"]', "half of a surrogate pair"),
        (b"[[1e999]]", "body: Number out of range"),
        (DEEP, "nested too deeply"),
        (b'{"events": [{"kind": "deed", "actor": 5, "statement": "x"}]}', "events[0].actor: Expected `str`"),
    ],
)
async def test_a_body_that_cannot_be_read_is_told_what_is_wrong_with_it(http, played, body, said):
    problem = await refused(http, "POST", of(played, "/playthroughs/{p}/events"), content=body)
    assert said in problem["detail"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/playthroughs/{p}/packets", {"speaker": "maelin", "line": "a\x00b"}),
        ("/playthroughs", {"world": "maelin", "title": "a\x00b"}),
        ("/playthroughs/{p}/saves", {"name": "a\x00b"}),
        ("/playthroughs/{p}/packets/k/replies", {"text": "a\x00b"}),
    ],
)
async def test_a_nul_is_named_with_its_field_and_not_in_the_databases_words(http, played, path, field):
    problem = await refused(http, "POST", of(played, path), status=422, json=field)
    name = next(k for k, v in field.items() if "\x00" in v)
    assert problem["detail"] == f"{name}: holds a NUL character"


@pytest.mark.parametrize(
    ("second", "status"),
    [
        ({"kind": "moved", "who": "zog", "to": "mast"}, 422),
        ({"kind": "moved", "who": "maelin"}, 400),
        ({"kind": "time_passed", "hours": 1, "key": "twice"}, 409),
        ({"kind": "deed", "actor": "player", "statement": "  "}, 422),
    ],
)
async def test_an_error_of_a_batch_says_which_event(http, played, second, status):
    first = {"kind": "time_passed", "hours": 2, "key": "twice"}
    path = of(played, "/playthroughs/{p}/events")
    problem = await refused(http, "POST", path, status=status, json={"events": [first, second]})
    assert problem["position"] == 1
    assert problem["detail"].startswith("events[1]")


@pytest.mark.parametrize(
    "path",
    [
        "/playthroughs/{p}/entries?zog=1", "/playthroughs/{p}/entries?kind=zog", "/playthroughs/{p}/entries?source=zog",
        "/playthroughs/{p}/entries?at_seq=-1", "/playthroughs/{p}/entries?word=%00", "/playthroughs?limit=0",
        "/playthroughs/{p}?at_seq=1", "/playthroughs/{p}/events?after_seq=-1", "/playthroughs/{p}/packets/k?view=zog",
        "/playthroughs/%00", "/health?verbose=1",
    ],
)  # fmt: skip
async def test_a_parameter_that_is_not_there_or_means_nothing_is_refused(http, played, path):
    assert (await refused(http, "GET", of(played, path)))["title"] == "Malformed"


@pytest.mark.parametrize("query", ["knower=zog", "at_seq=9999"])
async def test_a_filter_that_fits_nobody_is_refused_and_not_answered_with_nothing(http, played, query):
    await refused(http, "GET", of(played, f"/playthroughs/{{p}}/entries?{query}"), status=422)


@pytest.mark.parametrize("who", ["maelin", "public", "player"])
async def test_a_filter_that_names_somebody_is_answered(http, played, who):
    answer = await http.get(of(played, f"/playthroughs/{{p}}/entries?knower={who}&kind=observation&source=witnessed"))
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["a/b", " ", "a\nb", "x" * 129, "\u202ereversed"])
async def test_a_save_has_a_name_that_can_be_shown_and_asked_for(http, played, name):
    await refused(http, "POST", of(played, "/playthroughs/{p}/saves"), status=422, json={"name": name})


async def test_a_blank_reply_is_no_reply(http, played):
    packet = await http.post(of(played, "/playthroughs/{p}/packets"), json={"speaker": "maelin", "line": "Hello?"})
    path = of(played, f"/playthroughs/{{p}}/packets/{packet.json()['packet_id']}/replies")
    assert "blank" in (await refused(http, "POST", path, status=422, json={"text": "  "}))["detail"]


async def test_an_import_has_a_limit_of_its_own(http, played, application):
    exported = (await http.get(of(played, "/playthroughs/{p}/export"))).content
    small = msgspec.structs.replace(application.settings, max_body_bytes=1_000, max_import_bytes=len(exported))
    transport = httpx.ASGITransport(create_app(msgspec.structs.replace(application, settings=small)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as narrow:
        assert (await narrow.post("/playthroughs/import", content=exported)).status_code == 201
        problem = await refused(narrow, "POST", "/playthroughs/import", status=413, content=exported + b" ")
        assert "CONTINUITY_MAX_IMPORT_BYTES" in problem["cure"]
        await refused(narrow, "POST", "/worlds", status=413, content=exported)


async def test_a_whole_playthrough_may_take_longer_than_another_request(app, played, application):
    hurried = msgspec.structs.replace(application.settings, request_timeout_s=1e-6)
    transport = httpx.ASGITransport(create_app(msgspec.structs.replace(application, settings=hurried)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as client:
        assert (await client.get("/worlds")).json()["title"] == "Timeout"
    patient = {h.opt.get("patience", 1) for r in app.routes for h in r.route_handlers
               if r.path.endswith(("/import", "/export")) and "OPTIONS" not in h.http_methods}  # fmt: skip
    assert patient == {PATIENCE}


@pytest.mark.parametrize(
    ("header", "said"),
    [("Bearer wrong", "not known"), ("Basic abc", "`Bearer KEY`"), ("bearer", "not known")],
)
async def test_a_wrong_key_is_told_from_none(http, header, said):
    problem = await refused(http, "GET", "/worlds", status=401, headers={"Authorization": header})
    assert (problem["title"], said in problem["detail"]) == ("WrongKey", True)


async def test_the_scheme_of_a_key_is_read_in_any_case(http, application):
    key = await application.api_keys.add(role="admin", label="any case")
    try:
        assert (await http.get("/worlds", headers={"Authorization": f"bearer {key}"})).status_code == 200
    finally:
        await application.api_keys.revoke("any case")


async def test_the_description_is_plain_json_from_here_and_lists_the_real_problems(app):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as root:
        for path in ("/schema", "/schema/openapi.json"):
            answer = await root.get(path)
            assert answer.headers["content-type"] == "application/json"
            assert "cdn" not in answer.text
        described = answer.json()["paths"]["/v1/playthroughs/{playthrough_id}/events"]["post"]["responses"]
    assert set(described) == {"200", *map(str, PROBLEMS)}
    assert "application/problem+json" in described["422"]["content"]


def addressed(route):
    """A route's address with something in each of its places."""
    return re.sub(r"\{\w+\}", "x", route.path_format).removeprefix("/v1")


def taking(app, wanted):
    """Every method, address and query parameter of the API for which `wanted` holds."""
    for route in app.routes:
        for method in getattr(route, "route_handler_map", {}):
            if route.path.startswith("/v1"):
                for name, parameter in app.state.parameters[str(method), route.path_format].items():
                    if wanted(parameter):
                        yield str(method), addressed(route), name, parameter


async def test_a_parameter_of_few_values_names_itself_and_all_that_it_takes(http, app):
    found = list(taking(app, lambda p: p.choices))
    assert {name for _, _, name, _ in found} == {"format", "store", "kind", "source", "view"}
    for method, path, name, parameter in found:
        problem = await refused(http, method, f"{path}?{name}=gif")
        assert problem["detail"] == f"{name}: there is no 'gif'; it takes {', '.join(parameter.choices)}"


def test_whatever_else_is_refused_of_a_query_is_named_as_callers_name_it(app):
    for route in app.routes:
        for method, (_, model) in getattr(route, "route_handler_map", {}).items():
            for p in model.expected_query_params:
                parameter = app.state.parameters[str(method), route.path_format][p.field_alias]
                assert p.field_name == p.field_alias or parameter.choices, (route.path, p.field_alias)


async def test_a_parameter_that_is_given_twice_is_refused_on_every_route(http, app):
    found = list(taking(app, lambda p: not p.is_many))
    assert len(found) > 20
    for method, path, name, parameter in found:
        value = parameter.choices[0] if parameter.choices else "1"
        problem = await refused(http, method, f"{path}?{name}={value}&{name}={value}")
        assert problem["detail"] == f"{name}: is given 2 times, and takes one value"


def test_every_route_is_held_to_its_parameters(app):
    for route in app.routes:
        for method, (handler, _) in getattr(route, "route_handler_map", {}).items():
            if str(method) != "OPTIONS" and not route.path.startswith(("/schema", "/static")):
                assert hold in handler.resolve_guards(), route.path


async def test_whole_numbers_of_a_query_are_taken_in_the_range_that_is_described(http, app, played):
    for method, path, name, _ in taking(app, lambda p: p.is_whole):
        for number in (LARGEST_NUMBER + 1, -LARGEST_NUMBER - 1, 10**100):
            problem = await refused(http, method, f"{path}?{name}={number}")
            assert problem["detail"].startswith(f"{name}: whole numbers go from")
    answer = await http.get(of(played, f"/playthroughs/{{p}}/events?after_seq={LARGEST_NUMBER}"))
    assert (answer.status_code, answer.json()) == (200, [])


WHOLE = [
    ("/playthroughs", {"world": "maelin", "seed": 0}, "seed"),
    ("/playthroughs/{p}/fork", {"at_seq": 0}, "at_seq"),
    ("/playthroughs/{p}/saves", {"name": "dawn", "at_seq": 0}, "at_seq"),
    ("/playthroughs/{p}/packets", {"speaker": "maelin", "line": "Hello?", "at_seq": 0}, "at_seq"),
    ("/playthroughs/{p}/packets", {"speaker": "maelin", "line_seq": 0}, "line_seq"),
    ("/playthroughs/{p}/hours", {"hours": 1, "expected_seq": 0}, "expected_seq"),
    ("/playthroughs/{p}/events", {"events": [{"kind": "seeded", "seed": 0}], "expected_seq": 0}, "expected_seq"),
]


@pytest.mark.parametrize(("path", "body", "field"), WHOLE, ids=[f"{p} {f}" for p, _, f in WHOLE])
async def test_whole_numbers_of_a_body_are_taken_in_the_range_that_is_described(http, played, path, body, field):
    for number in (LARGEST_NUMBER + 1, -LARGEST_NUMBER - 1, 10**100):
        problem = await refused(http, "POST", of(played, path), json=body | {field: number})
        assert field in problem["detail"]
    answer = await http.post(of(played, path), json=body | {field: LARGEST_NUMBER})
    assert answer.status_code in {200, 201, 404, 409, 422}, answer.text
    assert "whole numbers" not in answer.text


async def test_the_largest_seed_that_is_described_opens_a_playthrough_and_is_drawn_by(http, played):
    opened = await http.post("/playthroughs", json={"world": "maelin", "seed": LARGEST_NUMBER})
    seeded = {"events": [{"kind": "seeded", "seed": LARGEST_NUMBER}]}
    assert opened.status_code == 201, opened.text
    assert (await http.post(of(played, "/playthroughs/{p}/events"), json=seeded)).status_code == 200


def whole_numbers(described, node, path, seen):
    """Every whole number that a described request holds, with its path."""
    if isinstance(node, list):
        for i, inner in enumerate(node):
            yield from whole_numbers(described, inner, f"{path}[{i}]", seen)
    elif isinstance(node, dict):
        name = node.get("$ref", "").rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            yield from whole_numbers(described, described["components"]["schemas"][name], name, seen)
        if node.get("type") == "integer":
            yield path, node
        for key, inner in node.items():
            if key not in {"example", "examples"}:
                yield from whole_numbers(described, inner, f"{path}.{key}", seen)


async def test_every_whole_number_of_a_request_is_described_with_its_range(app):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as root:
        described = (await root.get("/schema/openapi.json")).json()
    found = {}
    for path, item in described["paths"].items():
        for method, operation in item.items():
            sent = [operation.get("parameters", []), operation.get("requestBody", {})]
            found |= dict(whole_numbers(described, sent, f"{method} {path}", set()))
    assert len(found) > 60
    assert {path for path, number in found.items() if not {"minimum", "maximum"} <= number.keys()} == set()
    spans = {path: (number["minimum"], number["maximum"]) for path, number in found.items()}
    assert spans["Seeded.properties.seed"] == (0, LARGEST_NUMBER)
    assert spans["Deed.properties.tick.oneOf[0]"] == (0, 100_000_000)
    assert spans["Hours.properties.every.oneOf[0]"] == (1, MOST_APART)
    assert spans["StateSet.properties.value.oneOf[1]"] == (-LARGEST_NUMBER, LARGEST_NUMBER)
