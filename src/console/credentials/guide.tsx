import { useEffect, useState } from 'preact/hooks';
import { parseGuide, type Block, type Span } from '../../domain/guide.ts';
import { Card, Loading } from '../parts/basics.tsx';
import type { Schemas } from '../paths.ts';

/** How to create a credential at the provider, in the words of the provider's own screens. */
export function Guide({ provider }: { provider: Schemas['Provider'] }) {
  const { slug, name, control_panel_url: panel } = provider;
  const [blocks, setBlocks] = useState<readonly Block[] | null>(null);
  useEffect(() => {
    let isShown = true;
    setBlocks(null);
    void read(slug).then((read) => isShown && setBlocks(read));
    return () => {
      isShown = false;
    };
  }, [slug]);
  return (
    <Card title="How to create it">
      {blocks === null ? <Loading /> : <div class="guide">{blocks.map(blockOf)}</div>}
      {panel !== null && (
        <p>
          <Outside href={panel} text={`Open the DNS settings at ${name}`} />
        </p>
      )}
    </Card>
  );
}

async function read(slug: string): Promise<Block[]> {
  try {
    const response = await fetch(`/docs/providers/${encodeURIComponent(slug)}/credential.md`);
    if (response.ok) return parseGuide(await response.text()).filter(({ kind }) => kind !== 'heading');
  } catch {
    // The form works without the guide.
  }
  return parseGuide("We couldn't load the instructions. The hint below each field explains where to find its value.");
}

function blockOf(block: Block, i: number) {
  switch (block.kind) {
    case 'code':
      return (
        <pre key={i} class="block" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list':
      return (
        <ol key={i}>
          {block.items.map((item, at) => (
            <li key={at}>{item.map(spanOf)}</li>
          ))}
        </ol>
      );
    default:
      return <p key={i}>{block.spans.map(spanOf)}</p>;
  }
}

function spanOf({ kind, text }: Span, i: number) {
  if (kind === 'code') return <code key={i}>{text}</code>;
  if (kind === 'strong') return <strong key={i}>{text}</strong>;
  return kind === 'link' ? <Outside key={i} href={text} /> : text;
}

const Outside = ({ href, text = href }: { href: string; text?: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {text}
  </a>
);
