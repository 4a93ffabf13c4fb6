/** Go. */

export const sources = /^go$/;

export const tests = [/(?:^|\/)testdata\//i];

export const dependencyFiles = [/(?:^|\/)go\.(?:mod|sum|work)$/];

export const inputs = ['go.mod', 'go.sum', 'go.work', 'go.work.sum'];
