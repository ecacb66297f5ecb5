export type LinkPreviewTables = {
  /** Messages with links to websites whose previews the server still has to fetch. */
  linkPreviewRequests: {
    messageId: number
    senderId: number
  }
}
