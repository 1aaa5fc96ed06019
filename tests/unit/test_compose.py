"""The compose file: what it needs, what it pins, where data lies, and that health is a real query."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from ledger_service.settings import VARIABLES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE: dict[str, Any] = YAML(typ="safe").load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PASSWORDS = {
    "POSTGRES_PASSWORD", "CONTINUITY_OWNER_PASSWORD", "CONTINUITY_SERVICE_PASSWORD", "FALKORDB_PASSWORD",
}  # fmt: skip
REFERENCE = re.compile(r"(?<!\$)\$\{(\w+)([^}]*)\}")
USED = REFERENCE.findall("\n".join(line for line in TEXT.splitlines() if not line.lstrip().startswith("#")))


def arguments(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def test_every_password_comes_from_the_environment_and_its_absence_is_an_error_that_says_what_to_do() -> None:
    assert {name for name, _ in USED} == PASSWORDS | {"CONTINUITY_PORT"}
    for name, otherwise in USED:
        if name in PASSWORDS:
            assert otherwise.startswith(":?"), f"{name} may be absent or empty"
            assert ".env" in otherwise
    for name in PASSWORDS:
        assert re.search(rf"^#   {name} ", TEXT, re.MULTILINE), f"{name} is not explained"


def test_no_password_stands_in_the_file() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name or "URL" in name or "AUTH" in name:
                assert REFERENCE.search(value), name
                assert "@" not in REFERENCE.sub("", value) or re.search(r":@[a-z]+:\d+", REFERENCE.sub("", value))


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_images_are_exact_versions(name: str) -> None:
    image = SERVICES[name]["image"]
    assert re.fullmatch(
        r"(postgres:18\.\d+|falkordb/falkordb-server:v4\.2\d\.\d+|continuity-ledger:\d+\.\d+\.\d+)", image
    )
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line.startswith("FROM "):
            assert re.search(r"python:3\.1[1-3]\.\d+-slim-\w+", line)


def test_data_lies_where_each_image_keeps_it_and_outlives_its_container() -> None:
    mounted = {name: service["volumes"] for name, service in SERVICES.items() if "volumes" in service}
    assert mounted == {"postgres": ["postgres:/var/lib/postgresql"], "falkordb": ["falkordb:/var/lib/falkordb/data"]}
    assert set(COMPOSE["volumes"]) == {"postgres", "falkordb"}


@pytest.mark.parametrize(("name", "query"), [("postgres", "SELECT "), ("falkordb", "GRAPH.RO_QUERY ")])
def test_health_is_a_real_query_and_who_depends_on_it_waits(name: str, query: str) -> None:
    check = SERVICES[name]["healthcheck"]
    assert check["test"][0] == "CMD-SHELL"
    assert query in check["test"][1]
    assert {"interval", "timeout", "retries"} <= set(check)
    waiting = [s["depends_on"][name] for s in SERVICES.values() if name in s.get("depends_on", {})]
    assert waiting == [{"condition": "service_healthy"}] * len(waiting) != []


def test_postgres_is_asked_over_tcp_which_it_does_not_answer_before_it_is_set_up() -> None:
    assert "--host 127.0.0.1" in SERVICES["postgres"]["healthcheck"]["test"][1]


def test_the_graph_cuts_no_answer_drops_no_query_and_ends_those_that_take_too_long() -> None:
    given = arguments(SERVICES["falkordb"]["environment"]["FALKORDB_ARGS"])
    assert given["RESULTSET_SIZE"] == "-1"
    assert int(given["MAX_QUEUED_QUERIES"]) >= 1_000
    assert 0 < int(given["TIMEOUT_DEFAULT"]) <= int(given["TIMEOUT_MAX"])
    assert int(given["THREAD_COUNT"]) >= 2
    assert int(given["QUERY_MEM_CAPACITY"]) > 0
    assert given["CMD_INFO"] == "no"
    assert "TIMEOUT" not in given, "it cannot stand beside the two that write queries heed too"


def test_the_graph_evicts_nothing_asks_for_its_password_and_keeps_no_log_to_replay() -> None:
    given = SERVICES["falkordb"]["environment"]["REDIS_ARGS"]
    for part in ("--requirepass ${FALKORDB_PASSWORD", "--maxmemory-policy noeviction", "--appendonly no", "--hz 100"):
        assert part in given


def test_the_service_is_told_only_what_it_reads_and_is_reached_from_this_machine_alone() -> None:
    for name in ("service", "worker", "migrate"):
        assert set(SERVICES[name]["environment"]) <= set(VARIABLES)
    assert "postgresql://continuity_service:" in SERVICES["service"]["environment"]["CONTINUITY_POSTGRES_URL"]
    published = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert published == ["127.0.0.1:${CONTINUITY_PORT:-8321}:8321"]
