"""Three faces of one message: record (database), display (people), prompt (models). Pure and total."""
