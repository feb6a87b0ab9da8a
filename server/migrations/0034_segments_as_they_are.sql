-- A report that has waited for a meter prices its bytes by the row as it finds it then. A function that is not volatile
-- would read the segments as they were before the wait, without the one that the row's last change has closed: bytes
-- would pass for nothing. A volatile one reads them as they are; they change only together with the locked row.
ALTER FUNCTION charge_closed_segments(uuid, bigint, bigint) VOLATILE;
