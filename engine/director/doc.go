// Package director manages series and their episodes, the turn records of a play, the pass after a
// turn, who speaks next, and what a prompt contains of these.
//
// A chat may play an episode of a series: the director's notes, in the stable part of the prompt.
// After each reply one operation, after_turn, evaluates the exchange. By default it is one request,
// the chat's own prompt with the text of the pass at its end (rules.Instruction), so the server
// reads only that; with [director] separate, or a profile with another model or server, the parts
// are separate requests with the same wording. It is about the messages since the last pass.
// Whatever an answer bases on a message is known to the characters who heard that message. Scene
// break, evaluation, memories, hooks, ended facts, the story's time and a picture that the user
// asked for are stored in one transaction. An answer that cannot be used is recorded in the turn
// record and changes nothing else.
//
//   - Turn records. Every finished reply gets a TurnRecord in the transaction that stores it: the
//     turn's number, and what needs no model (a picture every N turns, the end of a turn budget).
//     The pass adds the director's evaluation; pictures at peaks and the end of the play follow
//     from that by the rules of package rules, which is pure.
//   - Memories and hooks. A memory or a hook has mentions: the replies after which it came up, with
//     the messages and who witnessed them. It holds on a path that contains one of them; in other
//     chats of the series the paths to their heads count. Duplicates become one record with several
//     mentions, so a branch loses what only another one mentioned. A hook is done on every path
//     with a reply that took it up; a play is complete on every path that contains its end.
//   - Placement. Memories, hooks and the author's note are not in a tail that moves every turn:
//     each is put before the user's message at which it came up and stays there until the window
//     leaves it, like keyed lore. Only the relationship and the setting are in the tail. A turn
//     then adds only what is new, and the last reply stays in the server's cache. storage.Notes
//     stores what was put before a message, so that another reply to it, or the pass, gets the same
//     bytes. The author's note is repeated after [prompt] note_every messages. What is no longer
//     true (edited, deleted, muted) is removed immediately, whatever that costs; the prompt pane
//     shows the cost.
//   - Several characters. Each speaks from its own card. A message stores who witnessed it; for a
//     speaker's prompt, messages that it has not witnessed are emptied first, and the words of
//     others are under their names. Recaps, lorebook entries and mentions store who knows all of
//     them.
//   - Warming. While a chat is on the screen and nothing else is asked, a prompt that has changed
//     (after trimming, a new recap, a start) is sent ahead with a reply of one token; the user's own
//     turn cancels that first.
package director
