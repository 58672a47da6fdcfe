/** `:generateContent` of Gemini: one candidate with one text. */
import { tokensOf } from './embed.ts';
import { echoCategory } from './models.ts';
import { onInstance, type Work } from './predict.ts';
import { isObject, type JsonObject, listOf, type Target, textOfContent } from './requests.ts';
import type { VertexOptions } from './settings.ts';

/** @throws {ApiError} 400 when there is no text to go by, or it is bad */
export function generateContent(target: Target, body: JsonObject, { models, isBad }: VertexOptions): Work {
  const contents = listOf(body, 'contents');
  const prompt = contents.map((content, n) => textOfContent(content, `contents[${n}]`)).join('\n');
  const system = body.systemInstruction === undefined ? '' : textOfContent(body.systemInstruction, 'systemInstruction');
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const json = config.responseMimeType === 'application/json';
  const model = models?.generate ?? echoCategory;
  const text = onInstance(prompt, isBad, () => model(prompt, { system, json }));
  const promptTokenCount = tokensOf(system + prompt);
  const candidatesTokenCount = tokensOf(text);
  return {
    instances: 1,
    body: {
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount,
      },
      modelVersion: target.id,
    },
  };
}
