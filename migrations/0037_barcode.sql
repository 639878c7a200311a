ALTER TABLE `tracks` ADD `barcode` text;--> statement-breakpoint
CREATE INDEX `tracks_barcode` ON `tracks` (ltrim(replace(replace(barcode, ' ', ''), '-', ''), '0')) WHERE barcode IS NOT NULL;
