// Package lore keeps the lorebooks: which entries fire for a prompt, what fills them,
// the inbox and the linter.
//
// A book belongs to a chat, a character, a persona or to all; a chat can switch each on
// or off. What fires is decided by package activation, by the ecosystem's rules and in
// their order.
//
//   - One pass. The keys of a book are compiled when it is first asked, and again when it
//     has changed. Each message is searched once, when it is new, and what was found is
//     kept; an activation touches the entries of which a key was found, the constant ones
//     and those with a running effect, not the rest. A regular expression runs where a
//     text that it needs was found, in each message by itself, or with those around it that
//     a match can reach. It is cut off when it takes too long.
//   - Chance belongs to the place. Rolls are drawn for the message before the one that
//     is answered, so another reply to it, and a job appended to its prompt, find the
//     same entries. Timed effects hang on the message they were set at, so a branch has
//     those of its own path.
//   - Where it stands. Constant entries are in the part that never changes. A keyed one
//     is put before the message it fired at and stays there until the window leaves that
//     behind (placement = "stay"), so that it is read once; with tail it is said anew
//     every turn. Entries that ask for a depth get it, and the ledger says what that
//     costs. An entry that is changed or switched off leaves at once, whatever that
//     costs: what is in the prompt has to be true.
//   - Told once. Of what scenes have taught, a keyed entry tells what neither the messages
//     in the window nor the recap in the prompt tell. Both stay until the history folds,
//     and so does that: only then is it decided anew. What the user has written, locked or
//     made constant is always told.
//   - States, not entries. Every change makes a new state of an entry and keeps the one
//     before. A state that a scene has taught holds from that scene's last message on;
//     one that the user made holds where that which it changes held, which is everywhere
//     for a new entry. On a path the deepest state counts. So a branch knows what its
//     own scenes have taught.
//   - Filling. A recap's candidates are looked up one by one, each as an operation of
//     its own; what is found goes on as a resolution, a merge or a new entry, with a
//     higher priority than the next lookup. Names, aliases, slips of spelling and
//     contents that say nothing new are decided without a model. A merge whose entry was
//     changed while the model was asked is asked again. By type, changes are done at
//     once or wait in the inbox as hunks, one per fact.
//   - Taking back goes by fact, three ways: what a scene has added is removed, what it
//     removed is restored where that is still as the scene left it, and what was learnt
//     since stays.
package lore
