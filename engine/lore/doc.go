// Package lore manages lorebooks: which entries trigger for a prompt, how they are filled, the
// inbox and the linter.
//
// A book belongs to a chat, a character, a persona or to all; a chat can switch each on or off.
// Package activation decides what triggers, by SillyTavern's rules and in their order.
//
//   - One pass. The keys of a book are compiled when it is first used and when it has changed. Each
//     message is searched once, when it is new, and the result is cached. An activation evaluates
//     only entries with a key that was found, constant entries, and entries with a running effect.
//     A regular expression runs only if a text that it needs was found, in each message by itself
//     or together with the messages around it that a match can reach. It is cut off when it takes
//     too long.
//   - Probability. Rolls are drawn for the message before the one that is answered, so another
//     reply to it, and a job appended to its prompt, trigger the same entries. Timed effects belong
//     to the message at which they were set, so each branch has its own.
//   - Placement. Constant entries are in the part of the prompt that never changes. A keyed entry
//     is put before the message at which it triggered and stays there until that leaves the window
//     (placement = "stay"), so that the server reads it once; with "tail" it is repeated every
//     turn. Entries that ask for a depth get it, and the list of parts says what that costs. An entry that
//     is changed or switched off leaves at once, since the prompt must be true.
//   - No repetition. Of the facts that came from scenes, a keyed entry contains only those that
//     neither the messages in the window nor the recap state. This is decided again when the
//     history is trimmed. What the user has written, locked or made constant is always included.
//   - Versions. Every change makes a new state of an entry and keeps the one before. A state that
//     came from a scene is valid from that scene's last message on. One that the user made is valid
//     where the state before was, which is everywhere for a new entry. On a path the deepest state
//     counts, so a branch knows only what its own scenes added.
//   - Filling. A recap's candidates are looked up one by one, each as an operation of its own. The
//     result is queued as a resolution, a merge or a new entry, with a higher priority than the
//     next lookup. Names, aliases, misspellings and contents without new facts are decided without
//     a model. A merge is repeated if its entry was changed meanwhile. Depending on the type,
//     changes are made at once or wait in the inbox as hunks, one per fact.
//   - Undoing a scene works by fact, as a three-way merge: what the scene added is removed, what it
//     removed is restored if nothing else has changed it, and later facts stay.
package lore
