errors = []


def given_or(name):
    listed = given.get(name)
    return (state.get(name) if listed is None else listed) or []


def missing(kind, path, item, field):
    if item.get(field) is None:
        errors.append({
            "type": "missing_required_field",
            "path": f"{path}.{field}",
            "expected": field,
            "actual": None,
            "message": f"{kind.capitalize()} missing required field '{field}'",
            kind: item,
        })


for at, entity in enumerate(given_or("entities")):
    for field in schema.get("entities", {}).get("required_fields", []):
        missing("entity", f"entities[{at}]", entity, field)
rules = schema.get("relationships", {})
types = rules.get("types", [])
for at, relationship in enumerate(given_or("relationships")):
    for field in rules.get("required_fields", []):
        missing("relationship", f"relationships[{at}]", relationship, field)
    kind = relationship.get("type")
    if types and kind not in types:
        errors.append({
            "type": "invalid_relationship_type",
            "path": f"relationships[{at}].type",
            "relationship": relationship,
            "expected": types,
            "actual": kind,
            "message": f"Invalid relationship type '{kind}', expected one of {types}",
        })
    for field in rules.get("type_requirements", {}).get(str(kind), []):
        missing("relationship", f"relationships[{at}]", relationship, field)
result = {"valid": not errors, "errors": errors}
