// Package storage keeps the program's data: records and the trees of messages, in one bbolt file.
//
// Records are stored as JSON. Every message is a node with a parent: a swipe is a sibling, a branch
// is another leaf, and a chat has a head. Nodes are never removed: a deleted one is left out of
// paths, and undo restores it. Ids are ULIDs: they sort by the time at which they were made.
//
// Top-level buckets hold characters, avatars, personas, chats, captures, operations, profiles,
// settings and texts (drafts and sent lines). nodes has a bucket per chat, so that the newest
// messages of a path are read without touching the rest. children has keys of parent and child, so
// that walking down the tree reads no message. spine has each message's parent, depth, size and
// role, so that walking up reads none either. breaks, recaps, running and lore_turns hold records
// about messages, by chat. lore_entries, lore_revisions and lore_changes hold the contents of
// lorebooks, by book. assets holds the files that came with a card, by character and path. presets
// holds complete files of settings.
//
// Opening reads a handful of pages, however large the file is. For that reason the free list is
// kept in the file, and the file is mapped with room to grow. Migrations run in one transaction,
// after a backup that is never rotated away. If another process has the file, the error names it
// within a second: bbolt's lock decides, and a small file beside the data file only names the
// holder. A damaged page becomes an error that names the file instead of a crash. Each value has a
// checksum that is compared when it is read, and Check reads the pages as bbolt writes them, so
// that no damage goes unnoticed; see seal and checkPages. New files are completed under another
// name and then renamed; modes are 0600 and 0700.
package storage
