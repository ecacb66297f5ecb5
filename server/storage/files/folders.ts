/** The folders of stored files that are backed up. */
export const AVATARS = 'avatars'
export const EMOJI = 'emoji'
export const REALM_PICTURES = 'organizations'
export const UPLOADS = 'uploads'

/** Thumbnails can be recreated at any time. */
export const THUMBNAILS = 'thumbnails'

/** Exports that administrators requested. Backups leave them out, because they can be made again. */
export const DATA_EXPORTS = 'exports'

/** The folders whose files cannot be recreated. */
export const backedUpFolders: readonly string[] = [AVATARS, EMOJI, REALM_PICTURES, UPLOADS]
