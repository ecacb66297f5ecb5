import { createRequire } from 'node:module'

// XML of other servers. Document types are refused, so that there are no entities but those of XML itself, and neither
// are documents with errors that parsers usually repair. The parser is the one that checks signatures, so that both
// read the same document.

/** An element, without its comments. */
export type XmlElement = {
  /** The name without its prefix. */
  readonly name: string
  readonly namespace: string
  /** The attributes by their names, with prefixes. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text of the element and of all elements in it. */
  readonly text: string
}

/** The parts of the DOM that are read. Its own types would declare those of browsers everywhere. */
type DomNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly localName: string
  readonly namespaceURI: string | null
  readonly nodeValue: string | null
  readonly firstChild: DomNode | null
  readonly nextSibling: DomNode | null
  readonly attributes: { readonly length: number; item(at: number): DomNode }
}

type Parser = { parseFromString(text: string, type: string): { documentElement: DomNode | null } }
type Options = { locator: object; errorHandler: (level: string, message: string) => void }

const load = createRequire(import.meta.url)

const ELEMENT = 1
const TEXTS: readonly number[] = [3, 4]

const MAX_DEPTH = 100

/** Returns the root element; null if the text is not a well-formed document, or contains a document type. */
export function readXml(text: string): XmlElement | null {
  if (/<!(?!--|\[CDATA\[)/.test(text)) return null
  const { DOMParser } = load('@xmldom/xmldom') as { DOMParser: new (options: Options) => Parser }
  const errorHandler = (_: string, message: string) => {
    throw new SyntaxError(message)
  }
  try {
    const root = new DOMParser({ locator: {}, errorHandler }).parseFromString(text, 'text/xml').documentElement
    return root === null ? null : readElement(root, MAX_DEPTH)
  } catch {
    return null
  }
}

function readElement(node: DomNode, depth: number): XmlElement {
  if (depth === 0) throw new RangeError('nested too deeply')
  const children: XmlElement[] = []
  let text = ''
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (TEXTS.includes(child.nodeType)) text += child.nodeValue ?? ''
    if (child.nodeType !== ELEMENT) continue
    const element = readElement(child, depth - 1)
    children.push(element)
    text += element.text
  }
  const attributes = new Map<string, string>()
  for (let at = 0; at < node.attributes.length; at++) {
    const { nodeName, nodeValue } = node.attributes.item(at)
    attributes.set(nodeName, nodeValue ?? '')
  }
  return { name: node.localName, namespace: node.namespaceURI ?? '', attributes, children, text }
}

/** Returns the element and all elements in it. */
export function* allElements(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) yield* allElements(child)
}
