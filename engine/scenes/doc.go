// Package scenes finds where scenes end and tells them again: breaks, recaps, the
// running recap, exams, and what of them stands in a prompt.
//
// A scene break is a mark on the last message of a scene, kept under that message's id.
// Branches therefore share the scenes before their fork and no others, and every
// question about scenes is answered by going up from a message to the root. That way
// leads over the spine, a few bytes per message beside the messages themselves, so it
// costs a microsecond per message and reads none of them.
//
//   - Finding breaks. After each turn package scene looks for explicit marks
//     (separators, headings such as "Chapter 3", out-of-character marks) in a table.
//     What is left is asked of the model, by default as one
//     instruction at the end of the chat's own prompt, which costs next to nothing
//     because the server has that prompt in its cache. An answer counts only if the cue
//     it quotes stands in the message. A whole chat is searched in small operations,
//     each of which stores what it found and queues the next, so a crash costs one of
//     them.
//   - Recaps. The answer's schema has a list of bullets per heading, each with the
//     numbers of its messages. Numbers that lie outside the scene, or whose message
//     shares no word with the bullet, are dropped. The Markdown is put together here, so
//     no heading is ever missing. Each generation is another version; versions are never
//     removed. A recap keeps a hash of its messages and one of its whole request: the
//     first tells when it is stale, the second when the same would be asked again.
//     Where the server has a long prompt of the chat in its cache and there is room, a
//     recap and its merging are asked at the end of that prompt, as the pass after a turn
//     is: at 16,384 tokens that halves what is read in all, since the chat is not read
//     again after them. All of the scene has to stand there, and one character to play.
//   - The running recap is a chain: each version grew out of the one before by taking in
//     one scene. Which version is in force is said by a break: the last one on the path
//     that names one. So a branch, an undo or a version rolled back all lead to the
//     memory of that place. A version is stale when anything along its chain is no
//     longer what went in. It covers the path up to the first scene that is not in it.
//   - Back into the prompt. The memory stands right after the system message and tells
//     what messages said that have left the history, and nothing that those in it say.
//     Messages stay for as long as they fit. Once the history is full, what recaps tell
//     leaves it in one fold, and only then a newer version of the running recap takes
//     the older one's place: a reply keeps which versions its prompt told. What the user
//     changes, and a version that tells an older scene in other words, waits for no
//     fold, since no message of the prompt puts right what the memory has wrong. What
//     no recap covers leaves only when the context forces it, and the ledger says so.
//   - The open scene. Where it is larger than the room, what a fold will take of it is
//     read some turns before, in parts, as a long scene is, and put together with what
//     was read before. That interim recap stands in the prompt with the fold for which it
//     was made and counts as covering its messages; it goes when one of these changes,
//     and is told no more once the scene's own recap, which goes on from it, is told.
//
// Work of different kinds may go to different models or servers: a profile says how, and
// a server of its own is a lane of its own.
package scenes
