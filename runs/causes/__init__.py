"""Why a run ended, from its logs. Pure: the table of patterns, the reader of a log, the verdict over many."""
