// biome-ignore-all lint/suspicious/noTemplateCurlyInString: HCL's own interpolation
import { describe, expect, test } from 'vitest';
import { parseHcl } from './parse.ts';

describe('parseHcl', () => {
  test('reads blocks with labels, arguments and nested blocks', () => {
    const { blocks } = parseHcl('resource "a" "b" {\n  name = "x"\n  inner {\n    deep = 1\n  }\n}\n');
    expect(blocks).toMatchObject([
      {
        type: 'resource',
        labels: ['a', 'b'],
        line: 1,
        arguments: { name: { text: '"x"', line: 2 } },
        blocks: [{ type: 'inner', labels: [], arguments: { deep: { text: '1' } } }],
      },
    ]);
  });

  test('keeps expressions over several lines whole, with brackets and braces in strings', () => {
    const body = parseHcl('a = merge(x, {\n  y = "}"\n})\nb = "one ${join(",", ["}", "{"])} two"\nc = 3\n');
    expect(body.arguments['a']!.text).toBe('merge(x, {\n  y = "}"\n})');
    expect(body.arguments['b']!.text).toBe('"one ${join(",", ["}", "{"])} two"');
    expect(body.arguments['c']!.text).toBe('3');
  });

  test('keeps an escaped quote, an escaped interpolation and a heredoc', () => {
    const body = parseHcl('a = "say \\"hi\\""\nb = "$${not}"\nc = <<-EOT\n  } " {\n  EOT\nd = 1\n');
    expect(body.arguments['a']!.text).toBe('"say \\"hi\\""');
    expect(body.arguments['b']!.text).toBe('"$${not}"');
    expect(body.arguments['c']!.text).toBe('<<-EOT\n  } " {\n  EOT');
    expect(body.arguments['d']!.text).toBe('1');
  });

  test('gives a block the comment that touches it, and no other', () => {
    const { blocks } = parseHcl(
      '# Far away.\n\n# First line.\n# Second line.\na {}\n\nb {}\n// Slashes.\nc {}\n/* Stars. */\nd {}\n',
    );
    expect(blocks.map(({ comment }) => comment)).toEqual(['First line.\nSecond line.', '', 'Slashes.', 'Stars.']);
  });

  test('names file and line of what it cannot read', () => {
    expect(() => parseHcl('a {\n  b = 1\n', 'main.tf')).toThrow("main.tf:3: the block 'a' of line 1 does not end");
    expect(() => parseHcl('a = 1\na = 2\n', 'main.tf')).toThrow("main.tf:2: 'a' is set twice");
    expect(() => parseHcl('}\n', 'main.tf')).toThrow("main.tf:1: unexpected '}'");
    expect(() => parseHcl('a = "x\n', 'main.tf')).toThrow('main.tf:1: the string does not end');
  });
});
