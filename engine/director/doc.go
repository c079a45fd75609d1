// Package director watches the play: series and their episodes, the beats of a play, the
// look at an exchange after a turn, who speaks next, and what a prompt tells of it all.
//
// A chat may play an episode of a series: the director's notes, in the stable part of
// the prompt. After each reply one operation, after_turn, looks at the exchange. By
// default it is one request, the chat's own prompt with the text of the pass at its end
// (rules.Instruction), so the server reads only that; [director] separate, or a profile
// with another model or server, asks its parts in requests of their own, in the same words.
// It is about the messages since the last pass. What an answer says of some of these by
// their numbers is known to those who heard them. Scene break, evaluation, memories, hooks,
// facts that have ended, the story's time and a picture that the user asked for are stored
// in one transaction. An answer that cannot be used is noted on the beat and costs nothing
// else.
//
//   - Beats. Every finished reply gets a Beat in the transaction that stores it: the
//     turn's number, and what needs no model (a picture every so many turns, the end of
//     a turn budget). The pass adds what the director saw; pictures at peaks and the end
//     by meaning follow from that by rules of package rules, which is pure.
//   - Memory is a function of the place. A memory or a hook carries its tellings: the
//     replies after which the play told of it, with the messages and who witnessed them.
//     It holds on a path where one of them lies on it; in other chats of the series
//     their heads' paths count. Duplicates become one record with several tellings, so a
//     branch loses what only another one told. Hooks are done on the paths on which a
//     reply took them up; a play is complete on the paths on which its end lies.
//   - Notes stay where they came up. Memories, hooks and the author's note do not
//     stand in a tail that moves every turn: each is put before the message of the
//     user's at which it came up and stays there until the window leaves it, like
//     keyed lore. Only how user and character stand, and where the scene does, is told
//     in the tail. A turn then adds what is new, and the last reply stays in the
//     server's cache. storage.Notes keeps what stood before a message, so that another
//     reply to it, or the pass, finds the same bytes. The author's note is said again
//     after [prompt] note_every messages. What is no longer true (edited, deleted,
//     muted) goes at once, whatever that costs; the prompt pane says what.
//   - Several characters. Each speaks from its own card. A message carries who witnessed
//     it; for a speaker's prompt what it has not witnessed is emptied before anything is
//     made of the history, and others' words stand under their names. Recaps, lorebook
//     entries and tellings carry those who know all of them.
//   - Reading ahead. While a chat is on the screen and nothing else is asked, a prompt
//     that has changed (a fold, a new recap, a start) is read ahead with a reply of one
//     token; the user's own turn cancels that first.
package director
