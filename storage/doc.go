// Package storage is what is kept: records, the tree of messages, and one bbolt file.
//
// One bbolt file, records as JSON. Every message is a node with a parent; a swipe is a
// sibling, a branch is another leaf, and a chat has a head. Nodes are never removed: a
// deleted one is left out of paths, and undo brings it back. Ids are ULIDs: they sort by
// the time they were made.
//
// Top-level buckets hold characters, avatars, personas, chats, captures, operations,
// profiles, settings and texts (drafts and sent lines). nodes has a bucket per chat, so
// that the newest messages of a path are read without touching the rest; children has
// keys of parent and child, so that walking down the tree reads no message, and the bucket spine
// has each message's parent, depth, size and role, so that walking up reads none either.
// breaks, recaps, running and lore_turns hold what hangs on the tree, by chat;
// lore_entries, lore_revisions and lore_changes what is in a lorebook, by book; assets the
// files that came with a card, by character and path; presets are files of settings, whole.
//
// Opening reads a handful of pages, however large the file is. The free list is kept in
// the file for that reason, and the file is mapped with room to grow. Migrations run in
// one transaction after a backup that is never rotated away. Another process that has
// the file is named within a second: bbolt's lock decides, a small file beside it only
// says who. A damaged page becomes an error that names the file instead of a crash. Each
// value has a checksum that reading it compares, and Check reads the pages as bbolt writes
// them, so that no damage stays unseen; see seal and checkPages.
// Files are made whole under another name and then renamed; modes are 0600 and 0700.
package storage
