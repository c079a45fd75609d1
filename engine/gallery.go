package engine

import "ghostlight/storage"

// Gallery is a chat's captures by scene, the story's order.
func (e *Engine) Gallery(chat storage.ChatID) ([]GalleryScene, error) {
	return nil, fail("gallery", errNotYet)
}

// ExportCapture writes a capture's picture to a file and says where. A path that
// is a directory gets a name of our own; one without an ending gets the
// picture's.
func (e *Engine) ExportCapture(id storage.CaptureID, path string, o ExportOptions) (string, error) {
	return "", fail("export capture", errNotYet)
}

// ContactSheet writes all pictures of a chat to one file and says where: a PNG, or
// an HTML page with the story's text, by the ending of path.
func (e *Engine) ContactSheet(chat storage.ChatID, path string, overwrite bool) (string, error) {
	return "", fail("contact sheet", errNotYet)
}
