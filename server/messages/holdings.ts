/** What a message holds that people look for, as bits. */
export const Holding = { link: 1 << 0, image: 1 << 1, attachment: 1 << 2 } as const

/** Where links of a message lead; those to channels and topics have a class and do not count. */
const LINK = /<a href="([^"]*)"/g

const IMAGE_PATH = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i
const UPLOAD_PATH = /^(?:https?:\/\/[^/]+)?\/?user_uploads\//

/** What a message holds, told by its HTML. */
export function holdingsOf(html: string): number {
  let holdings = 0
  for (const [, url = ''] of html.matchAll(LINK)) {
    holdings |= Holding.link
    if (IMAGE_PATH.test(url)) holdings |= Holding.image
    if (UPLOAD_PATH.test(url)) holdings |= Holding.attachment
  }
  return holdings
}
