/** The folders that stored files lie in; what lies elsewhere is in no backup. */
export const AVATARS = 'avatars'
export const EMOJI = 'emoji'
export const UPLOADS = 'uploads'

/** They can be made again at any time. */
export const THUMBNAILS = 'thumbnails'

/** What is lost for good when it is lost. */
export const backedUpFolders: readonly string[] = [AVATARS, EMOJI, UPLOADS]
