// Package scenes finds where scenes end and recaps them: breaks, recaps, the running recap, recall
// tests, and what a prompt contains of them.
//
// A scene break is a mark on the last message of a scene, stored under that message's id. Branches
// therefore share exactly the scenes before their fork, and every question about scenes is answered
// by walking from a message to the root. This walk reads a few bytes per message, not the messages
// themselves.
//
//   - Finding breaks. After each turn package scene looks for explicit marks: separators, headings
//     such as "Chapter 3", out-of-character marks. The model is asked about the rest, by default with
//     one instruction at the end of the chat's own prompt. An answer counts only if the words that it
//     quotes are in the message. A whole chat is searched in small operations, each of which stores its
//     results and queues the next, so that a crash costs one of them.
//   - Recaps. The answer's schema has a list of bullets per heading, each with the numbers of its
//     messages. Numbers that were not shown are dropped. The Markdown is written here, so that no
//     heading is ever missing. Each generation is another version; versions are never removed. A
//     recap stores a hash of its messages, which shows whether it is stale, and a hash of its whole
//     request, which allows a version to be reused. A scene that is too long for one request is
//     read in parts, whose records are merged.
//   - Requests. A request is appended to the chat's own prompt, which is in the server's cache, if
//     it and its answer fit, one character plays, and its messages are in that prompt. Otherwise it has
//     a prompt of its own.
//   - Merging. The parts of a scene, joined scenes, and the running recap with a new scene are
//     merged in the same way: the model sees numbered facts, and each line cites the facts that it
//     replaces. Facts that are neither cited nor dropped for a reason are carried over unchanged.
//   - The running recap is a chain: each version is made of the one before and one scene. The
//     version in force is named by a break: the last one on the path that names one. So a branch,
//     an undo or a rolled back version all lead to the memory of that place. A version is stale if
//     anything in its chain has changed since. It covers the path up to the first scene that is not
//     in it.
//   - Placement. The memory is right after the system message and replaces the messages that have
//     left the history: a bullet is left out while all its sources are in the prompt, unless the
//     user wrote or brought it back. A reply stores which versions its prompt contained, and the
//     next prompt contains the same ones, so that it begins in the same way, until the history is
//     trimmed. Changes by the user, and versions that reword an older scene, are used immediately.
//     Messages that no recap covers leave only if the context is full, and the list of parts says so.
//   - The open scene. If it is larger than the room, the part that will be trimmed next is recapped
//     some turns before. This interim recap covers its messages. It is removed when one of these
//     changes, and no longer used once the scene's own recap, which continues it, is in the prompt.
//
// Different kinds of work may go to different models or servers, as profiles say; a server of its
// own is a lane of its own.
package scenes
