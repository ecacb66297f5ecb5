import CornerUpLeft from 'lucide-react/icons/corner-up-left'
import MessageSquare from 'lucide-react/icons/message-square'
import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import type { ContentParts, ShowContext, ShowSpecial } from './content-parts.ts'
import { CodeBlock } from './elements/code-block.tsx'
import { Formula } from './elements/formula.tsx'
import { LinkPreview } from './elements/link-preview.tsx'
import * as css from './elements/media.module.css'
import { ExternalLink, Picture, pictureName, UploadedFile, VideoPlayer, VideoThumbnail } from './elements/media.tsx'
import { Spoiler } from './elements/spoiler.tsx'
import { readSize } from './media-files.ts'
import {
  classesOf,
  directionOf,
  findInside,
  type HtmlElement,
  type HtmlNode,
  hasClass,
  isElement,
  textOf,
} from './parse-html.ts'
import { readBackground, readSource } from './tree/allow-list.ts'
import { arrange, FILE, PICTURES, QUOTE_SOURCE } from './tree/arrange.ts'
import { toReact } from './tree/to-react.ts'

const byClass: Readonly<Record<string, ShowSpecial>> = {
  codehilite: codeBlock,
  'spoiler-block': spoiler,
  message_inline_image: media,
  message_embed: linkPreview,
  [PICTURES]: (node, { show }) => <div className={css.messagePictures}>{show(node.children)}</div>,
  [FILE]: file,
  katex: (node, context) => formula(node, context, false),
  'katex-display': (node, context) => formula(node, context, true),
  'user-mention': mention,
  'user-group-mention': mention,
  'topic-mention': mention,
  stream: channelLink,
  'stream-topic': channelLink,
  'message-link': messageLink,
}

const byTag: Readonly<Record<string, ShowSpecial>> = {
  blockquote: quote,
  table: (node, { show }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it can scroll, which must also work by keyboard
    <section className="table-box" aria-label={t('Table')} tabIndex={0}>
      <table>{show(node.children)}</table>
    </section>
  ),
  time: (node, { parts }) => {
    const iso = node.attributes.get('datetime') ?? ''
    return parts.Moment && !Number.isNaN(Date.parse(iso)) ? <parts.Moment iso={iso} /> : undefined
  },
}

/** Shows the elements that are more than text: code, spoilers, media, formulas, mentions and others. */
function showSpecial(node: HtmlElement, context: ShowContext): ReactNode | undefined {
  for (const name of classesOf(node)) {
    const special = Object.hasOwn(byClass, name) ? byClass[name]!(node, context) : undefined
    if (special !== undefined) return special
  }
  return Object.hasOwn(byTag, node.tag) ? byTag[node.tag]!(node, context) : undefined
}

function codeBlock(node: HtmlElement, { show, nextPart, parts }: ShowContext): ReactNode {
  const code = findInside(node, ({ tag }) => tag === 'code') ?? node
  const language = node.attributes.get('data-code-language') ?? ''
  const text = textOf(code).replace(/\n$/, '')
  return (
    <CodeBlock
      code={{ language, text }}
      nodes={code.children}
      show={show}
      part={nextPart()}
      CodeLinks={parts.CodeLinks}
    />
  )
}

function spoiler(node: HtmlElement, { show, nextPart }: ShowContext): ReactNode {
  const part = (name: string) => node.children.find((child) => hasClass(child, name)) as HtmlElement | undefined
  const header = part('spoiler-header')
  const isNamed = header !== undefined && textOf(header).trim() !== ''
  const content = part('spoiler-content')?.children ?? []
  return <Spoiler part={nextPart()} header={isNamed ? show(header.children) : null} content={show(content)} />
}

function media(node: HtmlElement): ReactNode | undefined {
  const link = findInside(node, ({ tag }) => tag === 'a')
  const shown = findInside(node, ({ tag }) => tag === 'img' || tag === 'video')
  if (link === undefined || shown === undefined) return undefined
  const address = link.attributes.get('href') ?? ''
  const title = link.attributes.get('title')
  const name = pictureName(address, title)
  const source = readSource(shown.attributes.get('src') ?? '')
  const kind = shown.tag === 'img' ? 'picture' : 'video'
  const original = /^https?:/i.test(address) ? address : null
  if (original !== null && VIDEO_PAGES.some((classed) => hasClass(node, classed)))
    return <VideoThumbnail address={original} title={title ?? null} thumbnail={source} />
  if (source === null) return original === null ? '' : <ExternalLink address={original} name={name} kind={kind} />
  if (kind === 'video') return <VideoPlayer source={source} name={name} original={original} />
  const size = readSize(shown.attributes.get('data-original-dimensions'))
  const isAnimated = shown.attributes.get('data-animated') === 'true'
  return (
    <Picture
      address={readSource(address) ?? source}
      thumbnail={source}
      name={name}
      size={size}
      isAnimated={isAnimated}
      original={original}
    />
  )
}

/** The classes of thumbnails of videos that only their own pages can play. */
const VIDEO_PAGES = ['youtube-video', 'embed-video']

function linkPreview(node: HtmlElement, { show }: ShowContext): ReactNode | undefined {
  const part = (name: string) => findInside(node, (inner) => hasClass(inner, name))
  const title = part('message_embed_title')
  const address = title && findInside(title, ({ tag }) => tag === 'a')?.attributes.get('href')
  if (title === undefined || address === undefined) return undefined
  const description = part('message_embed_description')
  const picture = readBackground(part('message_embed_image')?.attributes.get('style') ?? '')
  return (
    <LinkPreview
      key={picture}
      address={address}
      title={show(title.children)}
      description={description === undefined ? null : show(description.children)}
      picture={picture}
    />
  )
}

function file(node: HtmlElement): ReactNode | undefined {
  const link = node.children.find(isElement)
  const address = readSource(link?.attributes.get('href') ?? '')
  return link === undefined || address === null ? undefined : <UploadedFile address={address} name={textOf(link)} />
}

function formula(node: HtmlElement, { show }: ShowContext, isBlock: boolean): ReactNode {
  const source = findInside(node, ({ tag }) => tag === 'annotation')
  return (
    <Formula source={source === undefined ? '' : textOf(source).trim()} isBlock={isBlock}>
      {isBlock ? (
        <span className="katex-display">{node.children.map((child) => showKatex(child, show))}</span>
      ) : (
        <span className="katex">{show(node.children)}</span>
      )}
    </Formula>
  )
}

/**
 * Shows the inner element of a formula that stands alone. This element also has the class of formulas, but must not
 * become another formula.
 */
const showKatex = (node: HtmlNode, show: ShowContext['show']): ReactNode =>
  hasClass(node, 'katex') ? (
    <span key="katex" className="katex">
      {show(node.children)}
    </span>
  ) : (
    show([node])
  )

function mention(node: HtmlElement, { parts }: ShowContext): ReactNode | undefined {
  if (parts.Mention === undefined) return undefined
  const isSilent = classesOf(node).includes('silent')
  const groupId = node.attributes.get('data-user-group-id')
  const id = Number(groupId ?? node.attributes.get('data-user-id') ?? Number.NaN)
  const kind = Number.isNaN(id) ? 'wildcard' : groupId === undefined ? 'user' : 'group'
  return <parts.Mention kind={kind} id={id} isSilent={isSilent} text={textOf(node)} />
}

function channelLink(node: HtmlElement, { parts, show }: ShowContext): ReactNode | undefined {
  const channelId = Number(node.attributes.get('data-stream-id'))
  const href = node.attributes.get('href') ?? ''
  if (node.tag !== 'a' || parts.ChannelLink === undefined || !/^\/?#narrow\//.test(href)) return undefined
  return (
    <parts.ChannelLink channelId={channelId} href={href}>
      {show(withArrow(node.children))}
    </parts.ChannelLink>
  )
}

/** Shows a link to a message as a label with an icon. The text of the link is `#channel > topic @ 💬`. */
function messageLink(node: HtmlElement, { show }: ShowContext): ReactNode | undefined {
  const href = node.attributes.get('href') ?? ''
  if (node.tag !== 'a' || !/^\/?#narrow\//.test(href)) return undefined
  const name = withArrow(node.children).map((child) =>
    typeof child === 'string' ? child.replace(/ @ 💬$/, '') : child,
  )
  return (
    <a className="message-link" href={href} title={t('Go to message')}>
      <MessageSquare className="icon" aria-hidden="true" />
      {show(name)}
    </a>
  )
}

const withArrow = ([first, ...others]: readonly HtmlNode[]): HtmlNode[] =>
  first === undefined ? [] : [typeof first === 'string' ? first.replace(' > ', ' › ') : first, ...others]

function quote(node: HtmlElement, { show }: ShowContext): ReactNode | undefined {
  const source = node.attributes.get(QUOTE_SOURCE)
  if (source === undefined) return undefined
  return (
    <blockquote dir={directionOf(node)}>
      {show(node.children)}
      <a className="quote-source" href={source}>
        <CornerUpLeft className="icon" aria-hidden="true" />
        {t('Go to original')}
      </a>
    </blockquote>
  )
}

/** Returns the elements of a message with all its parts, such as code blocks and pictures. */
export const contentToReact = (nodes: readonly HtmlNode[], parts: ContentParts): ReactNode[] =>
  toReact(arrange(nodes), showSpecial, parts)
