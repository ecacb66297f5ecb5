/** What a message holds that people look for, as bits. */
export const Holding = { link: 1 << 0, image: 1 << 1, attachment: 1 << 2 } as const

/** Where links of a message lead; those to channels and topics have a class and do not count. */
const LINK = /<a href="([^"]*)"/g

const IMAGE_PATH = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i
/** Whether a file of the organization itself is a picture its preview tells, not its name. */
const UPLOAD_PATH = /^\/?user_uploads\//
const PREVIEW = '<div class="message_inline_image"'

/** What a message holds, told by its HTML, and whether any file is claimed by it. */
export function holdingsOf(html: string, hasAttachment: boolean): number {
  let holdings = hasAttachment ? Holding.attachment : 0
  for (const [, url = ''] of html.matchAll(LINK)) {
    holdings |= Holding.link
    if (IMAGE_PATH.test(url) && !UPLOAD_PATH.test(url)) holdings |= Holding.image
  }
  return html.includes(PREVIEW) ? holdings | Holding.image : holdings
}
