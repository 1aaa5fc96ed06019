# The service alone; PostgreSQL and FalkorDB are containers of their own (docker-compose.yml) or embedded (the default).
FROM python:3.12.12-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/continuity \
 && /opt/continuity/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY ledger_service ledger_service
COPY migrations migrations
COPY probes probes
RUN /opt/continuity/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && /opt/continuity/bin/pip uninstall --yes coverage grimp hatchling hypothesis import-linter mypy pytest pytest-bdd pytest-cov ruff

FROM python:3.12.12-slim-bookworm
# What the embedded servers need of the system; with real servers it lies idle.
RUN apt-get update && apt-get install --yes --no-install-recommends libgomp1 libssl3 zlib1g && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 continuity \
 && install --directory --owner continuity --group continuity /var/lib/continuity
COPY --from=build /opt/continuity /opt/continuity
ENV PATH=/opt/continuity/bin:$PATH CONTINUITY_HOME=/var/lib/continuity PYTHONUNBUFFERED=1
USER continuity
WORKDIR /var/lib/continuity
VOLUME /var/lib/continuity
EXPOSE 8321
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/v1/health', timeout=4)"]
CMD ["continuity", "serve", "--host", "0.0.0.0"]
