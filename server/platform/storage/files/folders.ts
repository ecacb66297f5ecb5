/** The folders of stored files; other folders are not backed up. */
export const AVATARS = 'avatars'
export const EMOJI = 'emoji'
export const REALM_PICTURES = 'organizations'
export const UPLOADS = 'uploads'

/** Thumbnails can be recreated at any time. */
export const THUMBNAILS = 'thumbnails'

/** The folders whose files cannot be recreated. */
export const backedUpFolders: readonly string[] = [AVATARS, EMOJI, REALM_PICTURES, UPLOADS]
