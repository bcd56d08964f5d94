"""The file of the record: tables, rows, settings, backups and checksums; nothing about scheduling."""
