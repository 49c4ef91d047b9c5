"""The sections of the page: picked from a StudyResult and put into words; nothing is computed."""
