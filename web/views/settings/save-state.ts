/** The state of the last change of a setting. */
export type SaveState = 'still' | 'saving' | 'saved' | 'changed elsewhere'
