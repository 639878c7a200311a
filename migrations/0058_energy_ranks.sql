CREATE TABLE `energy_ranks` (
	`percent` integer PRIMARY KEY NOT NULL,
	`energy` real NOT NULL
);
