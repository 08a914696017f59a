"""Taking over the tables of an older PHP deployment, in migrations."""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import SeparateDatabaseAndState
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class Adopt(SeparateDatabaseAndState):
    """Bring a table to the given state: on MariaDB by ``statements``, elsewhere by the operations themselves.

    MariaDB cannot roll DDL back, so there each statement can be repeated after a power cut (IF NOT EXISTS, MODIFY),
    and says the types outright: an adopted table may hold other ones than our own first migration would have made.
    """

    def __init__(self, statements: list[str], operations: list[Operation]) -> None:
        super().__init__(state_operations=operations)
        self.statements = statements

    def deconstruct(self) -> tuple[str, list[object], dict[str, object]]:
        return (self.__class__.__name__, [self.statements, self.state_operations], {})

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor == "mysql":
            for statement in self.statements:
                schema_editor.execute(statement, params=None)
            return
        for operation in self.state_operations:
            after = from_state.clone()
            operation.state_forwards(app_label, after)
            operation.database_forwards(app_label, schema_editor, from_state, after)
            from_state = after

    def database_backwards(self, *_: object) -> None:
        raise IrreversibleError("an adopted table is not given back; restore a backup")
