import { t } from '../../text/t.ts'

/**
 * Text that users can type, and the HTML that the server renders for it. If the result depends on the organization,
 * `about` describes it instead.
 */
type FormatExample = { readonly label: string; readonly typed: string; readonly html?: string; readonly about?: string }

export const FORMAT_EXAMPLES: readonly FormatExample[] = [
  { label: t('Bold'), typed: '**bold**', html: '<p><strong>bold</strong></p>' },
  { label: t('Italic'), typed: '*italic*', html: '<p><em>italic</em></p>' },
  { label: t('Strikethrough'), typed: '~~strikethrough~~', html: '<p><del>strikethrough</del></p>' },
  { label: t('Code'), typed: '`code`', html: '<p><code>code</code></p>' },
  {
    label: t('Code block'),
    typed: '```python\nprint("hello")\n```',
    html: '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="nb">print</span><span class="p">(</span><span class="s2">&quot;hello&quot;</span><span class="p">)</span>\n</code></pre></div>',
  },
  { label: t('Link'), typed: '[Parley](https://example.com)', html: '<p><a href="https://example.com">Parley</a></p>' },
  { label: t('Mention'), typed: '@**Ada Lovelace**', about: t('Notifies the person. Type @ and choose a name.') },
  { label: t('Silent mention'), typed: '@_**Ada Lovelace**', about: t('Mentions the person without notifying them') },
  {
    label: t('Channel link'),
    typed: '#**design>icons**',
    about: t('Links to a channel or topic. Type # and choose it.'),
  },
  { label: t('List'), typed: '* apples\n* pears', html: '<ul>\n<li>apples</li>\n<li>pears</li>\n</ul>' },
  { label: t('Numbered list'), typed: '1. first\n2. second', html: '<ol>\n<li>first</li>\n<li>second</li>\n</ol>' },
  { label: t('Quote'), typed: '> quoted text', html: '<blockquote>\n<p>quoted text</p>\n</blockquote>' },
  {
    label: t('Spoiler'),
    typed: '```spoiler Ending\nThe butler did it.\n```',
    html: '<div class="spoiler-block"><div class="spoiler-header">\n<p>Ending</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>The butler did it.</p>\n</div></div>',
  },
  { label: t('Heading'), typed: '## Heading', html: '<h2>Heading</h2>' },
  {
    label: t('Table'),
    typed: '| Day | Who |\n|---|---|\n| Monday | Ada |',
    html: '<table>\n<thead>\n<tr>\n<th>Day</th>\n<th>Who</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>Monday</td>\n<td>Ada</td>\n</tr>\n</tbody>\n</table>',
  },
  { label: t('Math'), typed: '$$E = mc^2$$', about: t('A formula, written in LaTeX') },
  {
    label: t('Emoji'),
    typed: ':tada:',
    html: '<p><span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span></p>',
  },
  {
    label: t('Date and time'),
    typed: '<time:2030-01-15T09:00:00Z>',
    html: '<p><time datetime="2030-01-15T09:00:00Z">2030-01-15T09:00:00Z</time></p>',
  },
  { label: t('Divider'), typed: 'above\n\n---\n\nbelow', html: '<p>above</p>\n<hr>\n<p>below</p>' },
  { label: t('Action'), typed: '/me waves', about: t('Your name, followed by what you do') },
  { label: t('Poll'), typed: '/poll Lunch?\nPizza\nSoup', about: t('A question to vote on, with one option per line') },
  { label: t('To-do list'), typed: '/todo Release\nTest\nAnnounce', about: t('A title, with one task per line') },
]
