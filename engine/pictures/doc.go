// Package pictures makes pictures: captures and their prompts, painting, the gallery, and the
// continuity sheet.
//
//  1. Capture stores a capture and queues capture_prompt on the language model's lane. The
//     pass after a turn detects whether the user has asked for a picture and calls QueueRequested.
//  2. package capture builds the instruction from the last messages, the character's
//     looks, the style and the continuity sheet; the model answers under a JSON schema.
//     The answer is checked (length, point of view, people, trigger word, contradictions
//     with the sheet). A faulty answer is corrected once; remaining faults are warnings in
//     the preview.
//  3. The user edits and sends: capture_send goes to a lane of ComfyUI's, one per
//     server. The user's changes are stored as an Edit in the same transaction. Seed,
//     final prompt, server and job ID are stored before the job is sent, so that after a
//     crash the job is followed and not sent twice. If no server answers, the capture
//     becomes a waiting draft; if the server has lost the job, it has failed and can be
//     sent again.
//  4. The phases of painting: wait until no reply streams, unload the language models,
//     check that they are gone, paint, free ComfyUI, read the prompt again. Each is a
//     setting and is reported with the progress. Several pictures share these phases.
//     Background work of the language model is held meanwhile; the user's own turn never
//     waits.
//  5. package comfy puts the values into the workflow: at the inputs that the user has
//     confirmed, at placeholders, else by following the links of its sampler. It submits
//     the job, follows the websocket, and polls if that breaks. Previews and steps become
//     progress events; the remaining time is estimated from earlier runs.
//  6. File and thumbnail are stored before the message that shows them, so that no message
//     is without its file. File names come from the program's IDs. Pictures are never sent
//     to the language model: their messages have a role of their own. Captures of old
//     scenes are in the gallery only.
//
// On the screen, pictures are cells. Kitty's are text. For Sixel and iTerm2 the picture is
// laid out as marked cells; the painter leaves them blank when it compares frames, and
// writes the visible part of each picture after the cells, in the same synchronized
// update, when its position or content has changed.
package pictures
