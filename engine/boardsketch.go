package engine

import "ghostlight/storage"

// SketchBoard makes captures of the shots of a confirmed storyboard, as one batch.
func (e *Engine) SketchBoard(chat storage.ChatID, node storage.NodeID, r SketchRequest) (BatchView, error) {
	return BatchView{}, errUnbuilt
}

// ExportBoard writes a storyboard to a file and says where: a contact sheet (PNG),
// Markdown, an HTML page or JSON, by the ending of path. A file that is there is
// fs.ErrExist without overwrite.
func (e *Engine) ExportBoard(chat storage.ChatID, node storage.NodeID, path string, overwrite bool) (string, error) {
	return "", errUnbuilt
}

// ImportBoard puts a storyboard from JSON, as ExportBoard writes it, in place of
// what is there; undo takes it back.
func (e *Engine) ImportBoard(chat storage.ChatID, node storage.NodeID, data []byte) (BoardView, error) {
	return BoardView{}, errUnbuilt
}
