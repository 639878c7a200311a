CREATE INDEX `like_states_rating` ON `like_states` (`user_id`,`item_type`,`rating`,`item_id`) WHERE "like_states"."rating" > 0;
--> statement-breakpoint
DROP TRIGGER like_states_update_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_update_changes AFTER UPDATE OF liked, rating ON like_states
  WHEN old.liked <> new.liked OR old.rating <> new.rating BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes';
END;
