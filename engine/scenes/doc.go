// Package scenes finds where scenes end and recaps them: breaks, recaps, the running recap, exams,
// and what of them stands in a prompt.
//
// A scene break is a mark on the last message of a scene, kept under that message's id. Branches
// therefore share the scenes before their fork and no others, and every question about scenes is
// answered by going up from a message to the root. That walk reads a few bytes per message beside
// the messages themselves, and none of the messages.
//
//   - Finding breaks. After each turn package scene looks for explicit marks: separators, headings
//     such as "Chapter 3", out-of-character marks. What is left is asked of the model, by default as
//     one instruction at the end of the chat's own prompt. An answer counts only if the words that
//     it quotes stand in the message. A whole chat is searched in small operations, each of which
//     stores what it found and queues the next, so that a crash costs one of them.
//   - Recaps. The answer's schema has a list of bullets per heading, each with the numbers of its
//     messages. Numbers that were not shown are dropped. The Markdown is put together here, so that
//     no heading is ever missing. Each generation is another version; versions are never removed. A
//     recap keeps a hash of its messages and one of its whole request: the first tells when it is
//     stale, the second when the same would be asked again. A scene that is too long for one request
//     is read in parts, whose records are merged.
//   - Requests. One is appended to the chat's own prompt, which the server has in its cache, where
//     it and its answer fit, one character plays, and the messages that it is about stand there.
//     Otherwise it has a prompt of its own.
//   - Merging. The parts of a scene, scenes that are joined, and the running recap with a scene are
//     merged in one way: the model sees numbered facts and cites those that a line replaces. What is
//     neither cited nor dropped for a reason is carried over unchanged.
//   - The running recap is a chain: each version grew out of the one before by taking in one scene.
//     Which version is in force is said by a break: the last one on the path that names one. So a
//     branch, an undo or a version rolled back all lead to the memory of that place. A version is
//     stale when anything along its chain is no longer what went in. It covers the path up to the
//     first scene that is not in it.
//   - Back into the prompt. The memory stands right after the system message and tells what messages
//     said that have left the history: a bullet is left out while all its sources stand in the
//     prompt, unless the user wrote or brought it back. A reply keeps which versions its prompt
//     told, and the next prompt tells these again, so that it begins as that one did, until the
//     history folds. What the user changes, and a version that tells an older scene in other words,
//     waits for no fold. What no recap covers leaves only when the context forces it, and the ledger
//     says so.
//   - The open scene. Where it is larger than the room, what a fold will take of it is read some
//     turns before, in parts. That interim recap counts as covering its messages; it goes when one
//     of these changes, and is told no more once the scene's own recap, which goes on from it, is
//     told.
//
// Work of different kinds may go to different models or servers: a profile says how, and a server of
// its own is a lane of its own.
package scenes
