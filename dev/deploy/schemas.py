"""Checks the manifests on standard input against the schemas of Kubernetes, KEDA and the Prometheus operator.

Arguments: versions of Kubernetes. Prints a sentence for each fault.
"""

import sys

import yaml
from cloudcoil.models.keda.v1alpha1 import ScaledObject, TriggerAuthentication
from cloudcoil.models.prometheus_operator.v1 import PodMonitor
from kubernetes_validate import ValidationError, validate

CUSTOM = {
    model.model_fields["kind"].default: model
    for model in (ScaledObject, TriggerAuthentication, PodMonitor)
}


def lost(given, read, path=""):
    """Returns the fields that a model dropped because its schema does not have them."""
    if isinstance(given, dict) and isinstance(read, dict):
        absent = [f"{path}.{name} is not a field" for name in given if name not in read]
        common = [name for name in given if name in read]
        return absent + [f for name in common for f in lost(given[name], read[name], f"{path}.{name}")]
    if isinstance(given, list) and isinstance(read, list):
        return [fault for n, pair in enumerate(zip(given, read)) for fault in lost(*pair, f"{path}[{n}]")]
    return [] if given == read else [f"{path} is {given!r}, read as {read!r}"]


def faults(manifest, versions):
    model = CUSTOM.get(manifest["kind"])
    try:
        if model is None:
            for version in versions:
                validate(manifest, version, strict=True)
            return []
        read = model.model_validate(manifest)
        return lost(manifest, read.model_dump(by_alias=True, exclude_unset=True, mode="json"))
    except ValidationError as error:
        return [error.message]
    except ValueError as error:
        return [str(error)]


wrong = [
    f"{manifest['kind']} {manifest['metadata']['name']}: {fault}"
    for manifest in yaml.safe_load_all(sys.stdin)
    if manifest is not None
    for fault in faults(manifest, sys.argv[1:])
]
print("\n".join(wrong))
