// kstatus says of each Kubernetes object on standard input, one after the other as JSON, how the library of Helm and Flux
// reads it: a line of JSON with the status and the message.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// verdict is what tools act on.
type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	if err := judgeAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kstatus:", err)
		os.Exit(1)
	}
}

func judgeAll(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var text json.RawMessage
		if err := decoder.Decode(&text); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := judge(text)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
}

func judge(text []byte) (verdict, error) {
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(text); err != nil {
		return verdict{}, err
	}
	result, err := status.Compute(&object)
	if err != nil {
		return verdict{}, err
	}
	return verdict{Status: result.Status.String(), Message: result.Message}, nil
}
