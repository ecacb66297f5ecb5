/** An error in a message, and the field that causes it. */
export type ComposerError = { readonly field: 'channel' | 'topic' | 'people' | 'text'; readonly text: string }
