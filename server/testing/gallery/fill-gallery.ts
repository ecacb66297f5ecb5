import { callApi, type GalleryAccount, uploadGalleryFile } from './gallery-client.ts'
import { galleryFiles } from './gallery-files.ts'
import { galleryTopics } from './gallery-topics.ts'

export const GALLERY_CHANNEL = 'gallery'
const GROUP = 'gallery-crew'

type Profile = { user_id: number; full_name: string }

/**
 * Creates a channel with a topic for each kind of content, through the API as any client would, and returns its id. The
 * messages come from `author`; `other` takes part in the polls and is mentioned.
 */
export async function fillGallery(author: GalleryAccount, other: GalleryAccount): Promise<number> {
  const [me, them] = [await callApi<Profile>(author, 'GET /users/me'), await callApi<Profile>(other, 'GET /users/me')]
  await callApi(author, 'POST /users/me/subscriptions', {
    subscriptions: [{ name: GALLERY_CHANNEL, description: 'Every kind of content' }],
    principals: [me.user_id, them.user_id],
  })
  const members = [me.user_id, them.user_id]
  await callApi(author, 'POST /user_groups/create', { name: GROUP, description: 'Two people', members })
  const named = new Map(Object.entries({ me: me.full_name, other: them.full_name }))
  for (const [key, { name, make }] of Object.entries(galleryFiles))
    named.set(key, await uploadGalleryFile(author, name, make()))

  for (const { topic, messages } of galleryTopics)
    for (const text of messages) {
      const content = text.replace(/\{(\w+)\}/g, (all, key: string) => named.get(key) ?? all)
      const { id } = await callApi<{ id: number }>(author, 'POST /messages', {
        type: 'channel',
        to: [GALLERY_CHANNEL],
        topic,
        content,
      })
      if (content.startsWith('/poll Where')) await vote(id, author, other)
      if (content.startsWith('/todo')) await change(other, id, { type: 'strike', key: '1,canned' })
    }
  return (await callApi<{ stream_id: number }>(author, 'GET /get_stream_id', { stream: GALLERY_CHANNEL })).stream_id
}

async function vote(id: number, author: GalleryAccount, other: GalleryAccount): Promise<void> {
  await change(author, id, { type: 'vote', key: 'canned,0', vote: 1 })
  await change(other, id, { type: 'vote', key: 'canned,0', vote: 1 })
  await change(other, id, { type: 'vote', key: 'canned,2', vote: 1 })
  await change(other, id, { type: 'new_option', idx: 1, option: 'Skip lunch' })
}

const change = (account: GalleryAccount, id: number, data: object) =>
  callApi(account, 'POST /submessage', { message_id: id, msg_type: 'widget', content: JSON.stringify(data) })
