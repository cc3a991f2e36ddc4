# What .ci/run does, a step at a time; `just` lists the steps. https://just.systems
# (pip install rust-just, where the system has no package of it)

python := env("PYTHON", "python3")
constraints := env("ODDSDESK_CONSTRAINTS", "packaging/constraints.txt")

[private]
default:
    @just --list --unsorted

# A virtual environment with all that the tests need
setup:
    {{python}} -m venv .venv
    PIP_CONSTRAINT={{constraints}} PIP_BUILD_CONSTRAINT={{constraints}} .venv/bin/pip install --quiet -e '.[test,fuzz]'

# Format and sort imports in place
format:
    .venv/bin/ruff format .
    .venv/bin/ruff check --select I --fix .

# Format, lint, import rules, types
check:
    .ci/check

# The texts to translate, and catalogues, brought up to date; `just locale pt` adds a language
locale *languages:
    .venv/bin/python packaging/catalogues.py {{languages}}

# All tests, or those named: `just test tests/unit/pricing -k devig`
test *arguments:
    .venv/bin/pytest -n 4 --dist loadfile {{arguments}}

# The tests of one kind: unit, service, desk, journey, durability
only kind *arguments:
    .venv/bin/pytest -m {{kind}} {{arguments}}

# A minute of fuzzing, always the same (`tests.fuzz --runs 500`); or as told: `just fuzz --minutes 10 quote`
fuzz *arguments="--runs 500":
    .venv/bin/python -m tests.fuzz {{arguments}}

# Ten minutes of fuzzing by chance, Schemathesis, and a scan for known vulnerabilities
nightly *arguments:
    .ci/nightly {{arguments}}

# The downloads, built and tried without Python and checkout
build:
    packaging/build
    packaging/smoke 10 .venv/bin/python

# Everything, in a fresh environment, as the forge does it
ci:
    .ci/run
