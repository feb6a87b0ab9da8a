-- Wrong passwords of the whole site within an hour, and whether a browser is known to any account.
CREATE INDEX failed_login_by_time ON failed_login (at);
CREATE INDEX known_device_by_hash ON known_device (device_hash);
