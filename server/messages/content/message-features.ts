/** The searchable features of a message, as bits: `has:link`, `has:image`, `has:attachment`. */
export const MessageFeature = { link: 1 << 0, image: 1 << 1, attachment: 1 << 2 } as const

/** Matches a link and captures its target; that of a link to a channel or topic, which has a class, is empty. */
const LINK = /<a (?:href="([^"]*)")?/g

const IMAGE_PATH = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i
/** Matches links to uploaded files, which count as images because of their preview and not because of their name. */
const UPLOAD_PATH = /^\/?user_uploads\//
const PREVIEW = '<div class="message_inline_image"'

/** Returns the features of a message with this HTML. */
export function messageFeaturesOf(html: string, hasAttachment: boolean): number {
  let features = hasAttachment ? MessageFeature.attachment : 0
  for (const [, url = ''] of html.matchAll(LINK)) {
    features |= MessageFeature.link
    if (IMAGE_PATH.test(url) && !UPLOAD_PATH.test(url)) features |= MessageFeature.image
  }
  return html.includes(PREVIEW) ? features | MessageFeature.image : features
}
